import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { CliWorld } from './cli-world.ts'

test('demo shows start, resume, an edit, a kill and going on, and leaves nothing behind', async () => {
  const world = await new CliWorld().open()
  try {
    const { code, out } = await world.run(['demo', '--json'])
    expect(code).toBe(0)
    const decisions = JSON.parse(out).steps.map(
      (step: { decision: string | null }) => step.decision,
    )
    expect(decisions).toEqual(['start', 'resume', null, 'fork', null, 'resume', null])
    const text = await world.run(['demo'])
    expect(text).toMatchObject({ code: 0, err: '' })
    expect(text.out).toContain('interrupted: The process that supervised this run died')
    expect(text.out).toContain('$ reprise why run_')
    expect(readdirSync(tmpdir()).filter(name => name.startsWith('reprise-demo-'))).toEqual([])
    expect(await world.json(['threads'])).toEqual([])
  } finally {
    world.close()
  }
})
