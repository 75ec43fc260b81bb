// Runs a verb on a pseudo terminal and types each answer when its prompt is on the screen: from then on the terminal reads.
import { spawn } from 'node:child_process'
import { type CliWorld, LAUNCHER } from './cli-world.ts'

/** What is typed when the words are on the screen, with Enter; or done besides, where single keys can be typed. */
export type Dialog = readonly (readonly [
  words: string,
  answer: string | ((type: (keys: string) => void) => void),
])[]
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
    for (let next = left[0]; next !== undefined; next = left[0]) {
      const [words, answer] = next
      const found = screen.indexOf(words, at)
      if (found < 0) return
      at = found + words.length
      left.shift()
      if (typeof answer === 'string') return void child.stdin.write(`${answer}\r`)
      // Nothing was typed, so the words that come next may be on the screen already.
      answer(keys => void child.stdin.write(keys))
    }
  })
  return new Promise(resolve => {
    child.once('close', code => resolve({ code, screen: screen.replaceAll('\r\n', '\n') }))
  })
}
