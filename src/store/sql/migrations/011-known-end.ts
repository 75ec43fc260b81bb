// 11: the last message of a session file that we know of, so that later ones of others are noticed.

export const knownEnd = (): readonly string[] => ['alter table sessions add column known_end text']
