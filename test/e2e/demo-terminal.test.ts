// The demo on a pseudo terminal: it keeps the dashboard open until Enter.
import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { CliWorld, LAUNCHER } from './cli-world.ts'

test('demo --full on a terminal prints a sign-in address and ends on Enter', async () => {
  const world = await new CliWorld().open()
  try {
    const env = { PATH: process.env.PATH, HOME: world.root, REPRISE_HOME: world.home }
    const child = spawn('script', ['-qec', `${LAUNCHER} demo --full`, '/dev/null'], { env })
    let out = ''
    child.stdout.setEncoding('utf8').on('data', text => {
      if (!out.includes('Enter ends') && (out + text).includes('Enter ends'))
        child.stdin.write('\n')
      out += text
    })
    const code = await new Promise(resolve => child.once('close', resolve))
    expect(out).toMatch(/http:\/\/127\.0\.0\.1:\d+\/login\?code=/)
    expect(code).toBe(0)
  } finally {
    world.close()
  }
}, 120_000)
