package model

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// maxBody bounds a request; Codex sends its whole context, but not more.
const maxBody = 64 << 20

// respond serves POST /v1/responses.
func (s *Server) respond(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	request, reply, err := s.accept(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	stream := &stream{w: w, id: fmt.Sprintf("resp_%d", request.Number)}
	if err := s.play(r.Context(), stream, reply); err != nil {
		s.settle(request.Number, Cancelled)
		return
	}
	s.settle(request.Number, Answered)
	if reply.Failure != nil && reply.Failure.kind == failHangUp {
		// The documented way to break a response off.
		panic(http.ErrAbortHandler)
	}
}

// play sends a reply. Its error means that the client is gone.
func (s *Server) play(ctx context.Context, stream *stream, reply Reply) error {
	if reply.Failure != nil && reply.Failure.kind == failStatus {
		if err := held(ctx, reply.Gate); err != nil {
			return err
		}
		return stream.refuse(reply.Failure)
	}
	if err := stream.created(); err != nil {
		return err
	}
	if err := held(ctx, reply.Gate); err != nil {
		return err
	}
	if reply.Failure != nil {
		if reply.Failure.kind == failHangUp {
			return nil
		}
		return stream.failed(reply.Failure.message)
	}
	for _, item := range reply.Items {
		if err := stream.item(item.wire(s.nextSerial())); err != nil {
			return err
		}
	}
	return stream.completed()
}

// held waits at the gate until it is open or the client is gone.
func held(ctx context.Context, gate *Gate) error {
	if gate == nil {
		return nil
	}
	select {
	case <-gate.open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stream writes the events of one response.
type stream struct {
	w  http.ResponseWriter
	id string
}

func (s *stream) created() error {
	s.w.Header().Set("Content-Type", "text/event-stream")
	return s.event("response.created", "response", map[string]any{"id": s.id})
}

func (s *stream) item(item map[string]any) error {
	return s.event("response.output_item.done", "item", item)
}

func (s *stream) completed() error {
	// The sizes mean nothing, but Codex requires them.
	usage := map[string]any{
		"input_tokens": 1, "input_tokens_details": nil,
		"output_tokens": 1, "output_tokens_details": nil,
		"total_tokens": 2,
	}
	return s.event("response.completed", "response", map[string]any{"id": s.id, "usage": usage})
}

func (s *stream) failed(message string) error {
	problem := map[string]any{"code": "server_error", "message": message}
	return s.event("response.failed", "response", map[string]any{"id": s.id, "error": problem})
}

func (s *stream) refuse(failure *Failure) error {
	s.w.Header().Set("Content-Type", "application/json")
	s.w.WriteHeader(failure.status)
	return json.NewEncoder(s.w).Encode(map[string]any{"error": map[string]any{"message": failure.message}})
}

// event writes one server-sent event: its type and one member.
func (s *stream) event(kind, member string, value any) error {
	data, err := json.Marshal(map[string]any{"type": kind, member: value})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s.w, "event: %s\ndata: %s\n\n", kind, data); err != nil {
		return err
	}
	return http.NewResponseController(s.w).Flush()
}
