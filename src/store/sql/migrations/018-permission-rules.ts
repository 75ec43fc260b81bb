// 18: the rule of a question: what the user allows by choosing "for this run".
export const permissionRules = (): readonly string[] => [
  'alter table questions add column rule text',
]
