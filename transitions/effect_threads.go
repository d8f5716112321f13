package transitions

// ListThreads asks which threads the desk has (thread/list).
type ListThreads struct {
	Message string `json:"message"` // the command's
}

// BindThread asks whether a thread can be had: the server has it (thread/resume), and
// no other track does.
type BindThread struct {
	Message string `json:"message"` // the command's
	Thread  string `json:"thread"`
}

func (ListThreads) EffectName() string { return "list_threads" }
func (BindThread) EffectName() string  { return "bind_thread" }

func (ListThreads) effect() {}
func (BindThread) effect()  {}
