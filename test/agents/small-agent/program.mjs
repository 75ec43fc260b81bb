// A small agent with a dialect of its own: one word and one value per line. It repeats what the user said when it opens a session again.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

if (process.argv.includes('--version')) {
  console.log('small-agent 1.0.0')
  process.exit()
}
const folder = `${process.env.HOME}/.small-agent`
const say = (word, value) => console.log(`${word} ${JSON.stringify(value)}`)
let file = ''

for await (const line of createInterface({ input: process.stdin })) {
  const [word, value] = [
    line.slice(0, line.indexOf(' ')),
    JSON.parse(line.slice(line.indexOf(' '))),
  ]
  if (word === 'open') open(value)
  if (word === 'prompt') answer(value)
}

function open(wanted) {
  const id = wanted ?? `s${Date.now()}`
  file = `${folder}/${id}`
  mkdirSync(folder, { recursive: true })
  if (wanted !== null && !existsSync(file))
    return say('failed', { status: null, why: 'no such session' })
  if (wanted !== null)
    for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean))
      say('heard', JSON.parse(line))
  say('session', id)
}

function answer(prompt) {
  if (prompt.endsWith('[401]')) return say('failed', { status: 401, why: 'who are you?' })
  appendFileSync(file, `${JSON.stringify(prompt)}\n`)
  const count = readFileSync(file, 'utf8').split('\n').length - 1
  say('text', `Prompt ${count}: ${prompt}`)
  say('done', { tokens: 10 * count })
}
