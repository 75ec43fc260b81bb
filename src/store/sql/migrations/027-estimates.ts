// 27: what a run was expected to use, before it started.
export const estimates = (): readonly string[] => ['alter table runs add column estimate text']
