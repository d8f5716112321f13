package feishu

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

const (
	frameLimit   = 1 << 20          // bytes; a client sends pings and acknowledgements
	writeTimeout = 10 * time.Second // for one frame
)

var upgrader = websocket.Upgrader{HandshakeTimeout: writeTimeout}

// serveConnect upgrades a long connection and reads it until it ends.
func (s *Server) serveConnect(w http.ResponseWriter, r *http.Request) {
	resp := s.handle(w, r)
	if resp == nil {
		return
	}
	if resp.Status != http.StatusSwitchingProtocols {
		write(w, *resp)
		return
	}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	ws.SetReadLimit(frameLimit)
	defer context.AfterFunc(s.ctx, func() { ws.Close() })()
	l := &longConn{ws: ws, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	s.wg.Go(l.writeAll)
	if s.Do(func(p *Platform) { l.conn = p.redeem(r.URL.Query().Get("ticket"), l) }) == nil && l.conn != nil {
		s.readAll(l)
	}
	close(l.ended)
	ws.Close()
}

// longConn is the network end of a [Conn]. Frames are queued, since the core must
// not wait for a slow client.
type longConn struct {
	ws    *websocket.Conn
	conn  *Conn // nil if the ticket was used up; otherwise set before the first frame is read
	wake  chan struct{}
	ended chan struct{} // closed when reading has ended

	mu     sync.Mutex
	queue  [][]byte
	finish bool // close the socket once the queue is written
}

var _ Sink = (*longConn)(nil)

// Deliver queues an event as a data frame.
func (l *longConn) Deliver(d Delivery) {
	l.push(frame{
		SeqID: d.Seq, LogID: d.Seq, Service: 1, Method: methodData,
		Headers: []frameHeader{
			{"type", "event"},
			{"message_id", d.EventID},
			{"trace_id", "trace_" + strconv.FormatUint(d.Seq, 10)},
			{"sum", "1"},
			{"seq", "0"},
			{"timestamp", millis(d.Sent)},
			{"instance_id", "stand-in"},
		},
		Payload: d.Body,
	}.encode())
}

// Close closes the socket after what was delivered before.
func (l *longConn) Close() {
	l.mu.Lock()
	l.finish = true
	l.mu.Unlock()
	l.signal()
}

func (l *longConn) push(b []byte) {
	l.mu.Lock()
	l.queue = append(l.queue, b)
	l.mu.Unlock()
	l.signal()
}

func (l *longConn) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// writeAll writes what is queued, until the connection ends. A failed write closes
// the socket, which ends the reading.
func (l *longConn) writeAll() {
	for {
		select {
		case <-l.wake:
		case <-l.ended:
			return
		}
		l.mu.Lock()
		batch, finish := l.queue, l.finish
		l.queue = nil
		l.mu.Unlock()
		for _, b := range batch {
			err := l.ws.SetWriteDeadline(time.Now().Add(writeTimeout))
			if err == nil {
				err = l.ws.WriteMessage(websocket.BinaryMessage, b)
			}
			if err != nil {
				finish = true
				break
			}
		}
		if finish {
			l.ws.Close()
			return
		}
	}
}

// readAll reads a client's frames until the socket ends, or until it sends what is
// no frame, which closes it.
func (s *Server) readAll(l *longConn) {
	defer s.loop.Post(l.conn.Closed)
	for {
		kind, b, err := l.ws.ReadMessage()
		if err != nil {
			return
		}
		if kind != websocket.BinaryMessage {
			return
		}
		f, err := decodeFrame(b)
		if err != nil {
			return
		}
		switch {
		case f.Method == methodControl && f.header("type") == "ping":
			s.loop.Post(func() {
				if l.conn.Ping() {
					l.push(s.platform.pong(f))
				}
			})
		case f.Method == methodData:
			s.loop.Post(func() { l.conn.Ack(Ack{Seq: f.SeqID, Code: ackCode(f.Payload)}) })
		}
	}
}

// pong answers a ping, with the configuration that the client shall go on with.
func (p *Platform) pong(ping frame) []byte {
	return frame{
		SeqID: ping.SeqID, LogID: ping.LogID, Service: ping.Service, Method: methodControl,
		Headers: []frameHeader{{"type", "pong"}},
		Payload: encode(p.opts.ClientConfig),
	}.encode()
}

// ackCode reads the code of an acknowledgement, 0 if it has none.
func ackCode(payload []byte) int {
	var ack struct {
		Code int `json:"code"`
	}
	if json.Unmarshal(payload, &ack) != nil {
		return 0
	}
	return ack.Code
}
