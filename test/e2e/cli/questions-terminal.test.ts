// Permissions and questions on a pseudo terminal: the person sees what will happen, and chooses by a letter or a number.
import { expect, test } from 'vitest'
import { CliWorld } from './cli-world.ts'
import { onTerminal } from './on-terminal.ts'

const asks = { type: 'tool', asks: true, result: 'ok' } as const
const EDIT = { file_path: '/srv/a.ts', old_string: 'one\ntwo', new_string: 'one\n2' }

test('T-7 U-1 send --ask on a terminal shows a command and a difference, and takes r, a wrong letter, w', async () => {
  const world = await new CliWorld().open()
  try {
    const bash = { ...asks, name: 'Bash', input: { command: 'npm test', description: 'Test it' } }
    const edit = { ...asks, name: 'Edit', input: EDIT }
    world.script([{ do: [bash, bash, edit, { type: 'text', text: 'did what I could' }] }])
    const { code, screen } = await onTerminal(world, 'send --ask go', [
      ['y, r, n or w ▸', 'r'],
      ['y, r, n or w ▸', 'x'],
      ['y, r, n or w ▸', 'w'],
      ['why not ▸', 'on a branch'],
    ])
    expect(screen).toContain('? May it use Bash?\n  the agent says: Test it\n  $ npm test\n')
    expect(screen).toContain('r Allow for this run: Bash commands that are exactly `npm test`\n')
    expect(screen).toContain('allowed without asking, as this run may')
    expect(screen).toContain('  change /srv/a.ts (+1 -1)\n    one\n  - two\n  + 2\n')
    expect(screen).toContain('"x" is not a choice: type y, r, n or w')
    expect(screen).toContain('did what I could')
    expect(code).toBe(0)
    const [run] = await world.list(['runs', 'ls'])
    const { asked } = await world.json(['runs', 'show', run?.id ?? ''])
    expect(asked?.map(({ answer }) => answer)).toMatchObject([
      { kind: 'allow', forRun: { by: 'user' } },
      { kind: 'deny', message: 'on a branch' },
    ])
  } finally {
    world.close()
  }
}, 120_000)

test('T-7a runs answer without an answer asks on a terminal, and again when the number is not an option', async () => {
  const world = await new CliWorld().open()
  try {
    const options = [{ label: 'Postgres' }, { label: 'SQLite' }]
    const questions = [{ question: 'Which database?', options }]
    world.script([{ when: 'go', once: true, do: [{ type: 'ask', questions }] }])
    const { run, questions: asked } = await world.json(['send', '--ask', 'go'])
    const { code, screen } = await onTerminal(
      world,
      `runs answer ${run.id} ${asked?.[0]?.toolUseId}`,
      [
        ['answer ▸', '3'],
        ['answer ▸', '2'],
      ],
    )
    expect(screen).toContain('? Which database?\n  1 Postgres\n  2 SQLite\n')
    expect(screen).toContain('3 is not an option: choose 1 to 2, or write "3" in quotes')
    expect(screen).toContain('"Which database?"="SQLite"')
    expect(code).toBe(0)
    const again = `runs answer ${run.id} ${asked?.[0]?.toolUseId}`
    const late = await onTerminal(world, again, [])
    expect(late.code).toBe(4)
    expect(late.screen).toContain('is answered already')
    expect(late.screen).not.toContain('Which database?')
  } finally {
    world.close()
  }
}, 120_000)
