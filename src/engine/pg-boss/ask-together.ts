// Makes one call of several: what is asked for in the same moment goes to the database as one statement.
import { setImmediate as soon } from 'node:timers/promises'

/**
 * `askAll` gives one answer per item, in their order; when it fails, every one of these calls fails. Calls of a later moment do not
 * wait for earlier ones, so one broken connection holds up nobody else.
 */
export function askTogether<Item, Answer>(
  askAll: (items: readonly Item[]) => Promise<readonly Answer[]>,
): (item: Item) => Promise<Answer> {
  let items: Item[] = []
  let answers: Promise<readonly Answer[]> | null = null
  const ask = async () => {
    await soon()
    const asked = items
    items = []
    answers = null
    return askAll(asked)
  }
  return async item => {
    const place = items.push(item) - 1
    answers ??= ask()
    const answer = (await answers)[place]
    if (answer === undefined) throw new Error('a call that was made together has no answer')
    return answer
  }
}
