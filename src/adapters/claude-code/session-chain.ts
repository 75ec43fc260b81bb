// The messages of a session file hang together by their parents; one that hangs on nothing makes the agent forget what was before it.
import { parseFields, textIn } from './fields.ts'

/**
 * `whole`: the last message leads back to a beginning. `cut`: it leads out of what was looked at.
 * `broken`: it leads to a message that should be here and is not.
 */
export type Chain = 'whole' | 'cut' | 'broken'

type Link = { readonly uuid: string; readonly parent: string | null }

export function chainOf(text: string, from: 'beginning' | 'middle'): Chain {
  const links = linksIn(text)
  const byId = new Map(links.map(link => [link.uuid, link]))
  let link = links.at(-1)
  // No line is met twice: a circle ends where it began.
  for (let steps = 0; link && steps <= links.length; steps += 1) {
    if (link.parent === null) return 'whole'
    const parent = byId.get(link.parent)
    if (!parent) return from === 'middle' ? 'cut' : 'broken'
    link = parent
  }
  return links.length === 0 ? 'whole' : 'broken'
}

/** Lines of subagents are trees of their own. */
function linksIn(text: string): readonly Link[] {
  return text.split('\n').flatMap(line => {
    // To search a line is much faster than to parse it, and some are long.
    if (!line.includes('"parentUuid"')) return []
    const fields = parseFields(line)
    const uuid = textIn(fields?.uuid)
    if (!fields || uuid === null || fields.isSidechain === true) return []
    return [{ uuid, parent: textIn(fields.parentUuid) }]
  })
}
