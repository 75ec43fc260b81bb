// 12: a thread keeps its instructions until they are changed. Those of its latest run hold on.

export const threadInstructions = (): readonly string[] => [
  'alter table threads add column instructions text',
  `update threads
   set instructions = (
     select runs.instructions
     from runs
     where runs.thread_id = threads.id
     order by runs.seq desc
     limit 1
   )`,
]
