// `reprise chat` on a pseudo terminal: what is typed while an answer runs waits in a line of its own.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FaultWorld, until } from '../../faults/fault-world.ts'
import { CliWorld } from './cli-world.ts'
import { onTerminal } from './on-terminal.ts'

const CTRL_D = '\x04'

test('U-1 what is typed while an answer runs is queued in a line of its own, and sent after the answer', async () => {
  const world = await new CliWorld().open()
  try {
    const go = join(world.root, 'go')
    world.script([
      {
        when: 'slow',
        once: true,
        do: [
          { type: 'text', text: 'the first half\n\n' },
          { type: 'waitForFile', path: go },
          { type: 'text', text: 'the second half' },
        ],
      },
    ])
    const { code, screen } = await onTerminal(world, 'chat', [
      ['you ▸', 'slow'],
      ['the first half', 'and then?'],
      ['queued ▸ and then?', () => writeFileSync(go, '')],
      ['echo: and then?', CTRL_D],
    ])
    expect(code).toBe(0)
    // The line shows each letter as it is typed, below the answer.
    expect(screen).toContain('you ▸ and then?')
    expect(screen.indexOf('the second half')).toBeGreaterThan(screen.indexOf('queued ▸ and then?'))
    const [thread] = await world.list(['threads', 'ls'])
    const { messages } = await world.json(['threads', 'show', thread?.id ?? ''])
    const said = messages.map(({ role, text }: { role: string; text: string }) => [role, text])
    expect(said).toEqual([
      ['user', 'slow'],
      ['assistant', expect.stringMatching(/^the first half\s+the second half$/)],
      ['user', 'and then?'],
      ['assistant', 'echo: and then?'],
    ])
  } finally {
    world.close()
  }
})

test('U-1 /help breaks its lines between words', async () => {
  const world = await new CliWorld().open()
  try {
    const { code, screen } = await onTerminal(world, 'chat', [
      ['you ▸', '/help'],
      ['//TEXT', () => {}],
      ['you ▸', CTRL_D],
    ])
    expect(code).toBe(0)
    expect(screen).toContain('with the\n                     conversation so far\n')
  } finally {
    world.close()
  }
})

test('W-1 the process for the next turn starts with the first key of the message', async () => {
  const world = await new FaultWorld().open()
  try {
    const { threadId } = await world.json(['send', 'one'])
    const { code, screen } = await onTerminal(world, `chat -t ${threadId}`, [
      [
        'you ▸',
        type => {
          type('tw')
          void until('it has started', () => world.processes().length === 1).then(() => type('o\r'))
        },
      ],
      ['echo: two', CTRL_D],
    ])
    expect(code, screen).toBe(0)
    const { runs } = await world.json(['threads', 'show', threadId])
    expect(runs.at(-1)).toMatchObject({ process: 'warm', status: 'completed' })
    expect(runs.at(-1)?.processRunId).toMatch(/^pre_/)
    expect(world.processes()).toEqual([])
  } finally {
    world.close()
  }
})
