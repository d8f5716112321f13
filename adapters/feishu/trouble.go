package feishu

import "fmt"

// Trouble is what keeps the bridge from speaking to the platform until an
// operator acts.
type Trouble struct {
	// Code is the platform's; 0 says that the trouble is over.
	Code int
	// Sentence says what is wrong and what to do about it.
	Sentence string
}

// Watched is an [API] that tells an operator about its credentials: once when the
// platform stops accepting them, and once when it accepts them again.
type Watched struct {
	api  API
	tell func(Trouble)
	code int // of the trouble told last; 0: none
}

var _ API = (*Watched)(nil)

// NewWatched watches over an API. tell is called from functions that the
// scheduler runs.
func NewWatched(api API, tell func(Trouble)) *Watched {
	return &Watched{api: api, tell: tell}
}

// Do makes the call and looks at its answer.
func (w *Watched) Do(req Request, done func(Response)) {
	w.api.Do(req, func(r Response) {
		w.look(Classify(req, r), r)
		done(r)
	})
}

func (w *Watched) look(class Class, r Response) {
	code := w.code
	switch {
	case class == Credentials || class == Token:
		code = r.Code
	case class == Done || (class == Refused || class == TooLong) && r.Code != 0:
		code = 0 // what was judged by its content was let in
	}
	if code == w.code {
		return
	}
	w.code = code
	w.tell(Trouble{Code: code, Sentence: troubleSentence(code, r.Msg)})
}

func troubleSentence(code int, msg string) string {
	switch code {
	case 0:
		return "Feishu accepts the app's credentials again."
	case 10003:
		return fmt.Sprintf("Feishu does not know the app (%d %s): check feishu.app_id, and that feishu.base_url is the platform on which the app was made.", code, msg)
	case 10014:
		return fmt.Sprintf("Feishu does not accept the app's secret (%d %s): copy it anew from the app's page in the developer console to feishu.app_secret.", code, msg)
	}
	return fmt.Sprintf("Feishu does not accept the app's access token, not even a new one (%d %s): check in the developer console that the app is enabled and published.", code, msg)
}
