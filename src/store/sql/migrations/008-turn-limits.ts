// 8: a turn that another process runs keeps to the limits it was sent with.

export const turnLimits = (): readonly string[] => ['alter table runs add column limits text']
