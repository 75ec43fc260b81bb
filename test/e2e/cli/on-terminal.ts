// Runs a verb on a pseudo terminal and types each answer when its prompt is on the screen: from then on the terminal reads.
import { spawn } from 'node:child_process'
import { type CliWorld, LAUNCHER } from './cli-world.ts'

/** What is typed when the words are on the screen, or done besides. */
export type Dialog = readonly (readonly [words: string, answer: string | (() => void)])[]
export type Screen = { readonly code: number | null; readonly screen: string }

export function onTerminal(world: CliWorld, args: string, dialog: Dialog): Promise<Screen> {
  const env = { ...world.env, TERM: 'xterm', NO_COLOR: '1' }
  const command = `${LAUNCHER} ${args}`
  const child = spawn('script', ['-qec', command, '/dev/null'], { env, cwd: world.workDir })
  let screen = ''
  let at = 0
  const left = [...dialog]
  child.stdout.setEncoding('utf8').on('data', text => {
    screen += text
    const [next] = left
    const found = next ? screen.indexOf(next[0], at) : -1
    if (!next || found < 0) return
    at = found + next[0].length
    left.shift()
    const [, answer] = next
    if (typeof answer === 'string') child.stdin.write(`${answer}\r`)
    else answer()
  })
  return new Promise(resolve => {
    child.once('close', code => resolve({ code, screen: screen.replaceAll('\r\n', '\n') }))
  })
}
