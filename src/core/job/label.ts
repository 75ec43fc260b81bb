// A label of workers and jobs: a job that names labels runs on workers that have all of them.

const LABEL = /^[a-z0-9][a-z0-9._-]{0,63}$/i

export const LABEL_WORDS = 'letters, digits, `.`, `_` and `-`, at most 64 of them'

export function isLabel(text: string): boolean {
  return LABEL.test(text)
}
