// Damages session files of Claude Code in the ways that crashes, disks, other programs and people do. Seeded: the same pick gives the same file.
import { randomUUID } from 'node:crypto'
import type { DamageKind } from '../src/core/conversation/session-damage.ts'

/** Chooses one of so many, from 0. */
export type Pick = (count: number) => number

type Line = Record<string, unknown> & {
  uuid?: string | undefined
  parentUuid?: string | null
  type?: string
}
type Blocks = Record<string, unknown>[]

export type SessionDamager = {
  readonly name: string
  /** One of these is found. */
  readonly kinds: readonly DamageKind[]
  /** `null`: the file has nothing that can be damaged so. */
  damage(text: string, pick: Pick): string | Uint8Array | null
}

export const DAMAGERS: readonly SessionDamager[] = [
  onText('cut at a random byte', ['torn-line', 'bad-text', 'no-conversation'], (text, pick) => {
    const bytes = Buffer.from(text)
    const end = bytes.length - 2 - pick(bytes.length - 2)
    // A cut between two lines damages nothing.
    return bytes[end - 1] === 0x0a ? null : bytes.subarray(0, end)
  }),
  onText('cut, and continued by the agent', ['glued-lines'], text => {
    const lines = text.trimEnd().split('\n')
    const last = lineIn(messagesIn(text).at(-1))
    const message = { role: 'user', content: 'next' }
    const next = { ...last, type: 'user', message, parentUuid: last.uuid, uuid: randomUUID() }
    return `${lines.slice(0, -1).join('\n')}\n${lines.at(-1)?.slice(0, 40)}${JSON.stringify(next)}\n`
  }),
  onText('half a line in the middle', ['torn-line'], (text, pick) => {
    const lines = text.trimEnd().split('\n')
    const at = pick(lines.length)
    lines[at] = lines[at]?.slice(0, -20) ?? ''
    return `${lines.join('\n')}\n`
  }),
  onText('zeros after a power failure', ['nul-bytes'], text => `${text}${'\0'.repeat(512)}\n`),
  onText('a NUL in a line', ['nul-bytes'], (text, pick) => {
    const lines = text.trimEnd().split('\n')
    const at = pick(lines.length)
    lines[at] = lines[at]?.replace('{"', '{\0"') ?? ''
    return `${lines.join('\n')}\n`
  }),
  onText('bytes that are not text', ['bad-text'], text =>
    Buffer.concat([Buffer.from(text.trimEnd()), Buffer.from([0x0a, 0x22, 0xff, 0xfe, 0x22, 0x0a])]),
  ),
  onText('a null line', ['null-line'], (text, pick) => withLine(text, pick, 'null')),
  onText('a list and a number as lines', ['stray-line'], (text, pick) =>
    withLine(text, pick, '[1]\n7'),
  ),
  onText('a line twice', ['duplicate-line'], (text, pick) => {
    const lines = messagesIn(text)
    return `${text}${lines[pick(lines.length)]}\n`
  }),
  onMessage('another line with the same id', 'any', ['duplicate-id'], (line, lines) => [
    ...lines,
    { ...line, message: { role: line.type, model: 'm', content: 'another' } },
  ]),
  onMessage('an answer without a message', 'assistant', ['no-message'], line => ({
    ...line,
    message: null,
  })),
  onMessage('an answer without a model', 'assistant', ['no-model', 'no-message'], line =>
    withMessage(line, { model: undefined }),
  ),
  onMessage('a message without a time', 'any', ['no-timestamp'], line => ({
    ...line,
    timestamp: undefined,
  })),
  onMessage('a message without an id', 'any', ['no-id'], line => ({ ...line, uuid: undefined })),
  onMessage('a message of the wrong role', 'any', ['wrong-role'], line =>
    withMessage(line, { role: 'tool' }),
  ),
  onMessage('a link to nowhere', 'child', ['broken-link'], line => ({
    ...line,
    parentUuid: randomUUID(),
  })),
  onMessage('a link to itself', 'child', ['circle'], line => ({
    ...line,
    parentUuid: line.uuid ?? null,
  })),
  onMessage('a line that stands too late', 'parent', ['out-of-order'], (line, lines) => [
    ...lines.filter(other => other !== line),
    line,
  ]),
  onMessage('a call whose result is gone', 'call', ['orphan-call'], (line, lines) =>
    unlinked(lines, other => resultsIn(other).some(id => callsIn(line).includes(id))),
  ),
  onMessage('a result whose call is gone', 'result', ['orphan-result'], (line, lines) =>
    unlinked(lines, other => callsIn(other).some(id => resultsIn(line).includes(id))),
  ),
  onMessage('a result that came twice', 'result', ['double-result'], (line, lines) => {
    const again = {
      ...line,
      uuid: randomUUID(),
      parentUuid: lines.findLast(isMessage)?.uuid ?? null,
    }
    return [...lines, again]
  }),
  onMessage('an empty answer', 'assistant', ['empty-message', 'orphan-result'], line =>
    withMessage(line, { content: [] }),
  ),
  onMessage('an empty prompt', 'prompt', ['empty-message'], line =>
    withMessage(line, { content: ' ' }),
  ),
  onMessage('an image that is too large', 'prompt', ['oversized-image'], line =>
    withMessage(line, {
      content: [
        { type: 'text', text: 'look' },
        {
          type: 'image',
          source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(5_300_000) },
        },
      ],
    }),
  ),
]

function onText(
  name: string,
  kinds: readonly DamageKind[],
  damage: SessionDamager['damage'],
): SessionDamager {
  return { name, kinds, damage }
}

type Which = 'any' | 'assistant' | 'prompt' | 'child' | 'parent' | 'call' | 'result'

/** Changes one message of this sort, or the lines around it. */
function onMessage(
  name: string,
  which: Which,
  kinds: readonly DamageKind[],
  change: (line: Line, lines: readonly Line[]) => Line | readonly Line[],
): SessionDamager {
  return {
    name,
    kinds,
    damage(text, pick) {
      const lines = text.trimEnd().split('\n').map(lineIn)
      const fitting = lines.filter(line => isMessage(line) && isOfSort(line, which, lines))
      const line = fitting[pick(Math.max(1, fitting.length))]
      if (!line) return null
      const changed = change(line, lines)
      const all = isList(changed) ? changed : lines.map(old => (old === line ? changed : old))
      return all.map(item => `${JSON.stringify(item)}\n`).join('')
    },
  }
}

function isOfSort(line: Line, which: Which, lines: readonly Line[]): boolean {
  if (which === 'any') return true
  if (which === 'assistant') return line.type === 'assistant'
  if (which === 'child') return typeof line.parentUuid === 'string'
  if (which === 'parent')
    return lines.some(other => isMessage(other) && other.parentUuid === line.uuid)
  if (which === 'call') return callsIn(line).length > 0
  if (which === 'result') return resultsIn(line).length > 0
  return line.type === 'user' && resultsIn(line).length === 0
}

/** Without these lines; what followed one of them follows what it followed. */
function unlinked(lines: readonly Line[], isGone: (line: Line) => boolean): readonly Line[] {
  const gone = new Map(lines.filter(isGone).map(line => [line.uuid, line.parentUuid ?? null]))
  return lines
    .filter(line => !isGone(line))
    .map(line => {
      let parent = line.parentUuid
      while (parent && gone.has(parent)) parent = gone.get(parent) ?? null
      return parent === line.parentUuid ? line : { ...line, parentUuid: parent ?? null }
    })
}

function withLine(text: string, pick: Pick, line: string): string {
  const lines = text.trimEnd().split('\n')
  return `${lines.toSpliced(pick(lines.length), 0, line).join('\n')}\n`
}

function withMessage(line: Line, fields: object): Line {
  return { ...line, message: { ...(line.message as object), ...fields } }
}

function messagesIn(text: string): readonly string[] {
  const lines = text.trimEnd().split('\n')
  return lines.filter(line => isMessage(lineIn(line)))
}

function lineIn(text: string | undefined): Line {
  return JSON.parse(text ?? '{}')
}

function isMessage({ type }: Line): boolean {
  return type === 'user' || type === 'assistant'
}

function isList(value: Line | readonly Line[]): value is readonly Line[] {
  return Array.isArray(value)
}

function blocksOf(line: Line): Blocks {
  const { content } = (line.message ?? {}) as { content?: unknown }
  return Array.isArray(content) ? content : []
}

function callsIn(line: Line): readonly string[] {
  return blocksOf(line).flatMap(({ type, id }) => (type === 'tool_use' ? String(id) : []))
}

function resultsIn(line: Line): readonly string[] {
  return blocksOf(line).flatMap(block =>
    block.type === 'tool_result' ? String(block.tool_use_id) : [],
  )
}
