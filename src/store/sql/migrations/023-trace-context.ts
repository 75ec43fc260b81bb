// 23: the trace that a turn, a job or a chain was submitted in, as W3C Trace Context writes it.
export const traceContext = (): readonly string[] => [
  'alter table runs add column trace text',
  'alter table jobs add column trace text',
  'alter table chains add column trace text',
]
