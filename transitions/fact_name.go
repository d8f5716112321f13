package transitions

// The names of the facts.
func (MessageReceived) FactName() string       { return "message_received" }
func (StopRequested) FactName() string         { return "stop_requested" }
func (NewRequested) FactName() string          { return "new_requested" }
func (ModelRequested) FactName() string        { return "model_requested" }
func (HandedOver) FactName() string            { return "handed_over" }
func (AttachmentsReady) FactName() string      { return "attachments_ready" }
func (AttachmentsFailed) FactName() string     { return "attachments_failed" }
func (MessageRecalled) FactName() string       { return "message_recalled" }
func (SenderDismissed) FactName() string       { return "sender_dismissed" }
func (MessageStale) FactName() string          { return "message_stale" }
func (StaleAnswered) FactName() string         { return "stale_answered" }
func (SendOverdue) FactName() string           { return "send_overdue" }
func (ThreadOpened) FactName() string          { return "thread_opened" }
func (ThreadRefused) FactName() string         { return "thread_refused" }
func (ThreadResumed) FactName() string         { return "thread_resumed" }
func (ThreadLost) FactName() string            { return "thread_lost" }
func (ThreadStatusChanged) FactName() string   { return "thread_status_changed" }
func (TurnStartAccepted) FactName() string     { return "turn_start_accepted" }
func (TurnStartRefused) FactName() string      { return "turn_start_refused" }
func (TurnStartUnknown) FactName() string      { return "turn_start_unknown" }
func (TurnStartWithdrawn) FactName() string    { return "turn_start_withdrawn" }
func (SteerAccepted) FactName() string         { return "steer_accepted" }
func (SteerRefused) FactName() string          { return "steer_refused" }
func (SteerUnknown) FactName() string          { return "steer_unknown" }
func (SteerWithdrawn) FactName() string        { return "steer_withdrawn" }
func (InterruptAccepted) FactName() string     { return "interrupt_accepted" }
func (InterruptRefused) FactName() string      { return "interrupt_refused" }
func (InterruptUnknown) FactName() string      { return "interrupt_unknown" }
func (TurnRunning) FactName() string           { return "turn_running" }
func (AgentMessageCompleted) FactName() string { return "agent_message_completed" }
func (TurnEnded) FactName() string             { return "turn_ended" }
func (PullAnswered) FactName() string          { return "pull_answered" }
func (PullImpossible) FactName() string        { return "pull_impossible" }
func (RequestOpened) FactName() string         { return "request_opened" }
func (RequestResolved) FactName() string       { return "request_resolved" }
func (RequestVisible) FactName() string        { return "request_visible" }
func (RequestUnshowable) FactName() string     { return "request_unshowable" }
func (VisibilityOverdue) FactName() string     { return "visibility_overdue" }
func (ReplayOverdue) FactName() string         { return "replay_overdue" }
func (WaitingOverdue) FactName() string        { return "waiting_overdue" }
func (RequestAnswered) FactName() string       { return "request_answered" }
func (DecisionWritten) FactName() string       { return "decision_written" }
func (DecisionUnknown) FactName() string       { return "decision_unknown" }
func (DeliveryConfirmed) FactName() string     { return "delivery_confirmed" }
func (DeliveryPartShown) FactName() string     { return "delivery_part_shown" }
func (DeliveryRefused) FactName() string       { return "delivery_refused" }
func (DeliveryUnknown) FactName() string       { return "delivery_unknown" }
func (ReceiptShown) FactName() string          { return "receipt_shown" }
func (EffectDropped) FactName() string         { return "effect_dropped" }
func (TurnSilent) FactName() string            { return "turn_silent" }
func (BridgeStarted) FactName() string         { return "bridge_started" }
func (GenerationChanged) FactName() string     { return "generation_changed" }
func (ChatClosed) FactName() string            { return "chat_closed" }
func (ChatReopened) FactName() string          { return "chat_reopened" }
func (TrackClosed) FactName() string           { return "track_closed" }
func (TrackOpened) FactName() string           { return "track_opened" }

// A message is received once, whatever Feishu delivers again, and whether it is
// text or a command; and each track hands it over once.
func (f MessageReceived) FactKey() string {
	if f.From != "" {
		return "handed:" + f.From + ":" + f.Message
	}
	return "message:" + f.Message
}
func (f StopRequested) FactKey() string  { return "message:" + f.Message }
func (f NewRequested) FactKey() string   { return "message:" + f.Message }
func (f ModelRequested) FactKey() string { return "message:" + f.Message }
func (f StaleAnswered) FactKey() string  { return "message:" + f.Message }

// A turn ends once, whoever tells.
func (f TurnEnded) FactKey() string { return "turn_ended:" + f.Turn }

// Answers to calls are told apart by the call that they settle, snapshots are all
// different, and what is told again of the rest changes nothing.
func (HandedOver) FactKey() string            { return "" }
func (AttachmentsReady) FactKey() string      { return "" }
func (AttachmentsFailed) FactKey() string     { return "" }
func (MessageRecalled) FactKey() string       { return "" }
func (SenderDismissed) FactKey() string       { return "" }
func (MessageStale) FactKey() string          { return "" }
func (ThreadOpened) FactKey() string          { return "" }
func (ThreadRefused) FactKey() string         { return "" }
func (ThreadResumed) FactKey() string         { return "" }
func (ThreadLost) FactKey() string            { return "" }
func (ThreadStatusChanged) FactKey() string   { return "" }
func (TurnStartAccepted) FactKey() string     { return "" }
func (TurnStartRefused) FactKey() string      { return "" }
func (TurnStartUnknown) FactKey() string      { return "" }
func (TurnStartWithdrawn) FactKey() string    { return "" }
func (SteerAccepted) FactKey() string         { return "" }
func (SteerRefused) FactKey() string          { return "" }
func (SteerUnknown) FactKey() string          { return "" }
func (SteerWithdrawn) FactKey() string        { return "" }
func (InterruptAccepted) FactKey() string     { return "" }
func (InterruptRefused) FactKey() string      { return "" }
func (InterruptUnknown) FactKey() string      { return "" }
func (TurnRunning) FactKey() string           { return "" }
func (AgentMessageCompleted) FactKey() string { return "" }
func (PullAnswered) FactKey() string          { return "" }
func (PullImpossible) FactKey() string        { return "" }
func (RequestOpened) FactKey() string         { return "" }
func (RequestResolved) FactKey() string       { return "" }
func (RequestVisible) FactKey() string        { return "" }
func (RequestUnshowable) FactKey() string     { return "" }
func (VisibilityOverdue) FactKey() string     { return "" }
func (ReplayOverdue) FactKey() string         { return "" }
func (RequestAnswered) FactKey() string       { return "" }
func (DecisionWritten) FactKey() string       { return "" }
func (DecisionUnknown) FactKey() string       { return "" }
func (DeliveryConfirmed) FactKey() string     { return "" }
func (DeliveryPartShown) FactKey() string     { return "" }
func (DeliveryRefused) FactKey() string       { return "" }
func (DeliveryUnknown) FactKey() string       { return "" }
func (ReceiptShown) FactKey() string          { return "" }
func (EffectDropped) FactKey() string         { return "" }
func (SendOverdue) FactKey() string           { return "" }
func (WaitingOverdue) FactKey() string        { return "" }
func (TurnSilent) FactKey() string            { return "" }
func (BridgeStarted) FactKey() string         { return "" }
func (GenerationChanged) FactKey() string     { return "" }
func (ChatClosed) FactKey() string            { return "" }
func (ChatReopened) FactKey() string          { return "" }
func (TrackClosed) FactKey() string           { return "" }
func (TrackOpened) FactKey() string           { return "" }

func (MessageReceived) fact()       {}
func (StopRequested) fact()         {}
func (NewRequested) fact()          {}
func (ModelRequested) fact()        {}
func (HandedOver) fact()            {}
func (AttachmentsReady) fact()      {}
func (AttachmentsFailed) fact()     {}
func (MessageRecalled) fact()       {}
func (SenderDismissed) fact()       {}
func (MessageStale) fact()          {}
func (StaleAnswered) fact()         {}
func (SendOverdue) fact()           {}
func (ThreadOpened) fact()          {}
func (ThreadRefused) fact()         {}
func (ThreadResumed) fact()         {}
func (ThreadLost) fact()            {}
func (ThreadStatusChanged) fact()   {}
func (TurnStartAccepted) fact()     {}
func (TurnStartRefused) fact()      {}
func (TurnStartUnknown) fact()      {}
func (TurnStartWithdrawn) fact()    {}
func (SteerAccepted) fact()         {}
func (SteerRefused) fact()          {}
func (SteerUnknown) fact()          {}
func (SteerWithdrawn) fact()        {}
func (InterruptAccepted) fact()     {}
func (InterruptRefused) fact()      {}
func (InterruptUnknown) fact()      {}
func (TurnRunning) fact()           {}
func (AgentMessageCompleted) fact() {}
func (TurnEnded) fact()             {}
func (PullAnswered) fact()          {}
func (PullImpossible) fact()        {}
func (RequestOpened) fact()         {}
func (RequestResolved) fact()       {}
func (RequestVisible) fact()        {}
func (RequestUnshowable) fact()     {}
func (VisibilityOverdue) fact()     {}
func (ReplayOverdue) fact()         {}
func (WaitingOverdue) fact()        {}
func (RequestAnswered) fact()       {}
func (DecisionWritten) fact()       {}
func (DecisionUnknown) fact()       {}
func (DeliveryConfirmed) fact()     {}
func (DeliveryPartShown) fact()     {}
func (DeliveryRefused) fact()       {}
func (DeliveryUnknown) fact()       {}
func (ReceiptShown) fact()          {}
func (EffectDropped) fact()         {}
func (TurnSilent) fact()            {}
func (BridgeStarted) fact()         {}
func (GenerationChanged) fact()     {}
func (ChatClosed) fact()            {}
func (ChatReopened) fact()          {}
func (TrackClosed) fact()           {}
func (TrackOpened) fact()           {}
