// The demo on a pseudo terminal: it keeps the dashboard open until Enter or Ctrl-C.
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CliWorld, LAUNCHER } from './cli-world.ts'

test.each([
  ['demo --full', 'Enter', '\n', 0],
  // As every program that a person interrupts.
  ['demo', 'Ctrl-C', '\u0003', 130],
])(
  '%s on a terminal prints a sign-in address, stays, and leaves nothing behind after %s',
  async (verb, _, key, code) => {
    const world = await new CliWorld().open()
    try {
      const temporary = world.path('temporary')
      mkdirSync(temporary)
      const env = {
        PATH: process.env.PATH,
        HOME: world.root,
        REPRISE_HOME: world.home,
        TMPDIR: temporary,
      }
      const child = spawn('script', ['-qec', `${LAUNCHER} ${verb}`, '/dev/null'], { env })
      const closed = new Promise(resolve => child.once('close', resolve))
      let out = ''
      const isOpen = new Promise<void>(resolve =>
        child.stdout.setEncoding('utf8').on('data', text => {
          out += text
          if (out.includes('Enter ends')) resolve()
        }),
      )
      await Promise.race([isOpen, closed])
      const [address = ''] = /http:\/\/127\.0\.0\.1:\d+\/login\?code=[\w-]+/.exec(out) ?? []
      const page = () => fetch(address, { redirect: 'manual' })
      expect((await page()).status).toBe(303)
      child.stdin.write(key)
      expect(await closed).toBe(code)
      await expect(page()).rejects.toThrow()
      expect(readdirSync(temporary).filter(name => name.startsWith('reprise-demo'))).toEqual([])
    } finally {
      world.close()
    }
  },
)
