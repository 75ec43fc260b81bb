// 28: what the turns of a thread get of its conversation.
export const carryOfThreads = (): readonly string[] => ['alter table threads add column carry text']
