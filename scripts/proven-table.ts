// The tables of what is shown of each agent, between two marks of a page: from the rows by which the tests run on the real programs.
import { FOUND_AGENTS } from '../src/agents/known-agents.ts'
import { ACP_PROGRAMS, claude, codex, pi } from '../test/agents/agent-programs.ts'
import { PROVEN, type Proven } from '../test/agents/proven.ts'

const VERSIONS = new Map(
  [...ACP_PROGRAMS, claude, codex, pi].map(({ name, version }) => [name, version]),
)

type Column = readonly [title: string, cell: (row: Proven, note: Noted) => string]
/** A cell with the mark of what must be known about it: by its field in the row, or in these words. */
type Noted = (field: keyof Proven | null, text: string, words?: string) => string

const COLUMNS: readonly Column[] = [
  ['agent', ({ agent }) => `${agent} ${VERSIONS.get(agent)}`],
  ['spoken to', ({ way }) => way],
  ['second turn', ({ second }, note) => note('second', second)],
  ['after `kill -9` in a later turn', ({ afterKill }, note) => note('afterKill', afterKill)],
  ['in the first turn', ({ afterFirstKill }, note) => note('afterFirstKill', afterFirstKill)],
  ['after an edit', ({ afterEdit }, note) => note('afterEdit', afterEdit)],
  ['after its files are gone', ({ afterLoss }, note) => note('afterLoss', afterLoss)],
  ['in another store', ({ afterImport }, note) => note('afterImport', afterImport)],
  ['evidence', ({ evidence }) => [...new Set(evidence)].join(', then ')],
  ['asks before a command', ({ asks }, note) => note('asks', asks ? 'yes' : 'no')],
  ['fence of a tier', ({ agent }, note) => fenceOf(agent, note)],
  [
    'API says 401, 429, 500',
    ({ errors }, note) => note('errors', Object.values(errors).join(', ')),
  ],
  ['tokens', ({ tokens }, note) => note('tokens', tokens)],
  ['cost', ({ cost }, note) => note('cost', cost)],
]

const SHORT = [
  'agent',
  'second turn',
  'after `kill -9` in a later turn',
  'asks before a command',
  'cost',
]

/** What a tier of a policy holds the agent by, as its adapter says. */
function fenceOf(agent: string, note: Noted): string {
  const { fence, unfenced } = FOUND_AGENTS[agent]?.({}).adapter ?? {}
  if (fence === undefined) return note(null, 'none', unfenced)
  if (fence.kind === 'sandbox') return 'permission mode'
  return fence.kinds ? 'rules about kinds and commands' : 'rules about tools and commands'
}

/** Puts the tables where a page has a place for them. */
export function withProven(page: string): string {
  return page
    .replace(placeOf('proven'), () => placed('proven', tableOf(COLUMNS)))
    .replace(placeOf('proven-short'), () => placed('proven-short', shortTable()))
}

/** What must be known about a cell is in the long table. */
function shortTable(): string {
  const [table = ''] = tableOf(COLUMNS.filter(([title]) => SHORT.includes(title))).split('\n\n')
  return table.replaceAll(/ \(\d+\)/g, '')
}

function placeOf(name: string): RegExp {
  return new RegExp(`<!-- ${name}: .*? -->\\n[\\s\\S]*?<!-- end of ${name} -->`)
}

function placed(name: string, table: string): string {
  const words = 'made by `npm run docs` from test/agents/proven.ts'
  return `<!-- ${name}: ${words} -->\n\n${table}\n\n<!-- end of ${name} -->`
}

function tableOf(columns: readonly Column[]): string {
  const notes: string[] = []
  const rows = PROVEN.map(row => {
    const note: Noted = (field, text, own) => {
      const words = own ?? (field === null ? undefined : row.notes?.[field])
      if (words === undefined) return text
      const whole = `${row.agent}: ${words}.`
      if (!notes.includes(whole)) notes.push(whole)
      return `${text} (${notes.indexOf(whole) + 1})`
    }
    return `| ${columns.map(([, cell]) => cell(row, note)).join(' | ')} |`
  })
  const head = `| ${columns.map(([title]) => title).join(' | ')} |`
  const line = `| ${columns.map(() => '---').join(' | ')} |`
  const legend = notes.map((words, index) => `(${index + 1}) ${words}`).join('\n')
  return [head, line, ...rows, ...(legend ? ['', legend] : [])].join('\n')
}
