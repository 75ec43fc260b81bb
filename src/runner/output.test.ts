import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { readOutput } from './output.ts'

const LIMITS = { maxLineBytes: 8 * 1024 * 1024, maxOutputBytes: 256 * 1024 * 1024 }
const turn = () => new Promise(resolve => setImmediate(resolve))

function open(limits: Partial<typeof LIMITS> = {}) {
  const stdout = new PassThrough()
  const calls: string[] = []
  const output = readOutput({
    stdout,
    limits: { ...LIMITS, ...limits },
    onLine: () => calls.push('line'),
    onTooMuch: () => calls.push('too much'),
  })
  return { stdout, output, calls, lines: output.lines[Symbol.asyncIterator]() }
}

describe('output', () => {
  test.each([
    ['many lines', 'x\n'.repeat(1_001), 1_001],
    ['long lines', `${'x'.repeat(5_000_000)}\n`.repeat(2), 2],
  ])('U-3 %s that nobody takes hold the agent up until they are taken', async (_, text, count) => {
    const { stdout, output, lines } = open()
    stdout.write(text)
    await turn()
    expect(output.isHeldUp()).toBe(true)
    for (let i = 0; i < count; i += 1) expect((await lines.next()).done).toBe(false)
    expect(output.isHeldUp()).toBe(false)
  })

  test('letFlow reads the rest without a reader, and close gives the last line', async () => {
    const { stdout, output, lines } = open()
    stdout.write('x\n'.repeat(2_000))
    await turn()
    output.letFlow()
    stdout.end('last')
    await output.ended
    output.close()
    const texts: unknown[] = []
    for (let next = await lines.next(); !next.done; next = await lines.next()) {
      texts.push(next.value)
    }
    expect(texts).toHaveLength(2_001)
    expect(texts.at(-1)).toEqual({ kind: 'line', text: 'last' })
  })

  test('a reader that waits gets the end', async () => {
    const { output, lines } = open()
    const next = lines.next()
    output.close()
    expect(await next).toEqual({ done: true, value: undefined })
  })

  test('U-3 above the limit it reports once, and drops the rest', async () => {
    const { stdout, calls } = open({ maxOutputBytes: 10 })
    for (const text of ['12345\n', '678901\n', 'more\n']) {
      stdout.write(text)
      await turn()
    }
    expect(calls).toEqual(['line', 'too much'])
  })
})
