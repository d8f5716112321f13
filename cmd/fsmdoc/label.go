package main

// machineLabels are the machines' Chinese names, for pictures and the page.
var machineLabels = map[string]string{
	"conversation": "会话",
	"message":      "消息",
	"turn":         "轮次",
	"request":      "请求",
	"delivery":     "投递",
}

// stateLabels are the states' Chinese names, by machine.
var stateLabels = map[string]map[string]string{
	"conversation": {
		"idle":               "空闲",
		"steerable":          "进行中，可插话",
		"pending_visibility": "请求还没人看见",
		"waiting_visible":    "等人答复",
		"recovery_pending":   "核实中",
		"delivered":          "都已送达",
		"superseded":         "已被取代",
	},
	"message": {
		"received":  "已收到",
		"held":      "暂存",
		"offered":   "已递出",
		"accepted":  "已接下，未证实",
		"uncertain": "不知是否送到",
		"proven":    "已证实",
		"answered":  "已回复",
		"refused":   "已退回",
		"moved":     "已移到新对话",

		"fetching":   "在取附件",
		"stale":      "在问还要不要",
		"unresolved": "无从查明",
		"withdrawn":  "已撤回",
	},
	"turn": {
		"unknown":     "不明",
		"running":     "进行中",
		"completed":   "已完成",
		"interrupted": "被中断",
		"failed":      "失败",
		"absent":      "没有这一轮",
	},
	"request": {
		"pending_visibility": "还没人看见",
		"visible":            "看得见",
		"decided":            "已决定，在送交",
		"resolved":           "已答复",
		"failed_visibility":  "没能显示",
		"dead":               "已失效",
	},
	"delivery": {
		"ready":     "待发送",
		"unknown":   "不知是否送到",
		"confirmed": "已送达",
		"refused":   "被拒收",
		"archived":  "已归档",
	},
}
