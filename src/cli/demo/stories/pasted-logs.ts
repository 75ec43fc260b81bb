// Long texts that users of the full demo paste into their prompts: a resumed session has them already, a cold one pays for them.
import { createSeededRandom } from '../full/seeded-random.ts'

const PATHS = ['/', '/products/mug', '/products/tea', '/basket', '/checkout', '/orders', '/health']
const AGENTS = ['Mozilla/5.0', 'price-watch/2', 'till/2026.11', 'curl/8.5']

/** The access log of a web server, about 90 characters a line. */
export function accessLog(words: string, lines: number): string {
  const { between } = createSeededRandom(lines)
  const pick = (all: readonly string[]) => all[between(0, all.length - 1)] ?? ''
  const rows = Array.from({ length: lines }, (_, index) => {
    const second = String(Math.floor(index / 4) % 60).padStart(2, '0')
    const minute = String(Math.floor(index / 240) % 60).padStart(2, '0')
    const status = between(1, 30) === 1 ? 502 : 200
    const took = `${between(4, 900)}ms`
    return `10.0.${between(0, 9)}.${between(1, 250)} [14:${minute}:${second}] "GET ${pick(PATHS)}" ${status} ${between(200, 42_000)} ${took} "${pick(AGENTS)}"`
  })
  return pasted(words, rows)
}

const NAMES = ['Mug', 'Tea', 'Scarf', 'Candle', 'Bowl', 'Lamp', 'Blanket', 'Kettle']
const COLOURS = ['red', 'blue', 'green', 'white', 'black']

/** Rows of a catalogue, about 60 characters a line. */
export function catalogue(words: string, lines: number): string {
  const { between } = createSeededRandom(lines)
  const pick = (all: readonly string[]) => all[between(0, all.length - 1)] ?? ''
  const rows = Array.from({ length: lines }, (_, index) => {
    const price = `${between(2, 180)}.${String(between(0, 99)).padStart(2, '0')}`
    const sku = `W26-${String(index + 1).padStart(5, '0')}`
    return `${sku};${pick(NAMES)} ${pick(COLOURS)};${price};${between(0, 400)};${between(80, 4_200)} g;winter`
  })
  return pasted(words, ['sku;name;price;stock;weight;season', ...rows])
}

function pasted(words: string, rows: readonly string[]): string {
  return `${words}\n\n\`\`\`\n${rows.join('\n')}\n\`\`\``
}
