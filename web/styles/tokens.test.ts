// Contrasts of the tokens, computed: text at least 4.5 to 1, graphics at least 3 to 1, in both themes, on every background they meet.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const css = readFileSync(new URL('tokens.css', import.meta.url), 'utf8')

type Pair = readonly [light: string, dark: string]

const tokens = new Map<string, Pair>(
  [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name = '', light = '', dark = '']) => [name, [light, dark]],
  ),
)

const BACKGROUNDS = ['surface', 'ground', 'raised', 'sunken', 'hover', 'accent-soft']
const INKS = [
  'text',
  'muted',
  'accent',
  'ok',
  'warn',
  'bad',
  'info',
  'fork',
  'replay',
  'handover',
  'start',
  'wait',
]
const GRAPHICS = ['line-strong', 'fill']
const OTHERS: readonly (readonly [string, string])[] = [
  ['on-accent', 'accent'],
  ['ok', 'ok-soft'],
  ['warn', 'warn-soft'],
  ['bad', 'bad-soft'],
  ['info', 'info-soft'],
  ['text', 'ok-soft'],
  ['text', 'bad-soft'],
]

describe.each(['light', 'dark'] as const)('in the %s theme', theme => {
  const side = theme === 'light' ? 0 : 1
  const contrast = (a: string, b: string) => ratio(colour(a), colour(b))
  const colour = (name: string) => tokens.get(name)?.[side] ?? 'missing'

  test.each(INKS)('%s can be read on every background', ink => {
    for (const background of BACKGROUNDS) {
      expect([background, contrast(ink, background) >= 4.5]).toEqual([background, true])
    }
  })

  test.each(OTHERS)('%s can be read on %s', (ink, background) => {
    expect(contrast(ink, background)).toBeGreaterThanOrEqual(4.5)
  })

  test.each(GRAPHICS)('%s can be seen on the surface', name => {
    expect(contrast(name, 'surface')).toBeGreaterThanOrEqual(3)
  })
})

/** As WCAG 2.2 defines it. */
function ratio(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
