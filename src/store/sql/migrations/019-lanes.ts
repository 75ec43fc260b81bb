// 19: which workers may have a piece of work.
export const lanes = (): readonly string[] => [
  `alter table dispatches add column lane text not null default ''`,
  'create index dispatches_by_lane on dispatches (queue, state, lane)',
]
