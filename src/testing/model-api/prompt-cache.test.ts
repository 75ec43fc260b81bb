import { describe, expect, test } from 'vitest'
import { messagesWire } from './messages-wire.ts'
import { type CachedPrompt, createPromptCache } from './prompt-cache.ts'

const cached = { cache_control: { type: 'ephemeral' } }
const text = (length: number, extra: object = {}) => ({
  type: 'text',
  text: 'x'.repeat(length),
  ...extra,
})

function request(body: Record<string, unknown>): CachedPrompt {
  const all = { model: 'm', system: [text(4000, cached)], ...body }
  const sections = messagesWire.promptSections(all)
  return { model: String(all.model), caching: 'asked-for', sections }
}

const automatic = (...lengths: readonly number[]): CachedPrompt => ({
  model: 'm',
  caching: 'automatic',
  sections: lengths.map(length => ({ section: 'messages', block: text(length) })),
})

describe('the prompt cache', () => {
  test('writes up to the last breakpoint first and reads it the next time', () => {
    const cache = createPromptCache()
    const first = request({ messages: [{ role: 'user', content: [text(400)] }] })
    expect(cache.bill(first)).toMatchObject({
      cacheWriteTokens: 1000,
      cacheReadTokens: 0,
      inputTokens: 100,
    })
    expect(cache.bill(first)).toMatchObject({
      cacheWriteTokens: 0,
      cacheReadTokens: 1000,
      inputTokens: 100,
    })
  })

  test('M-3 a longer conversation reads the longest prefix and writes only what is new', () => {
    const cache = createPromptCache()
    cache.bill(request({ messages: [{ role: 'user', content: [text(400, cached)] }] }))
    const longer = request({
      messages: [
        { role: 'user', content: [text(400)] },
        { role: 'assistant', content: [text(80)] },
        { role: 'user', content: [text(40, cached)] },
      ],
    })
    expect(cache.bill(longer)).toMatchObject({ cacheReadTokens: 1100, cacheWriteTokens: 30 })
  })

  test('finds no write further back than twenty blocks, but the earlier breakpoint counts', () => {
    const cache = createPromptCache()
    cache.bill(request({ messages: [{ role: 'user', content: [text(400, cached)] }] }))
    const many = Array.from({ length: 25 }, () => text(40))
    const far = request({
      messages: [{ role: 'user', content: [text(400), ...many, text(4, cached)] }],
    })
    expect(cache.bill(far)).toMatchObject({ cacheReadTokens: 1000 })
  })

  test('keeps models apart', () => {
    const cache = createPromptCache()
    cache.bill(request({ model: 'a' }))
    expect(cache.bill(request({ model: 'b' })).cacheReadTokens).toBe(0)
  })

  test('counts writes for an hour separately', () => {
    const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } }
    const bill = createPromptCache().bill(request({ system: [text(400, hour)] }))
    expect(bill).toMatchObject({ cacheWriteTokens: 100, cacheWriteHourTokens: 100 })
  })

  test('an automatic cache reads what an earlier request began with, in steps, and writes for nothing', () => {
    const cache = createPromptCache()
    expect(cache.bill(automatic(4800, 400))).toMatchObject({
      inputTokens: 1300,
      cacheReadTokens: 0,
    })
    expect(cache.bill(automatic(4800, 400, 40))).toMatchObject({
      inputTokens: 1310 - 1280,
      cacheReadTokens: 1280,
      cacheWriteTokens: 0,
    })
    expect(cache.bill(automatic(4804, 400)).cacheReadTokens).toBe(0)
  })

  test('an automatic cache keeps no short beginnings', () => {
    const cache = createPromptCache()
    cache.bill(automatic(4000))
    expect(cache.bill(automatic(4000, 40))).toMatchObject({ inputTokens: 1010, cacheReadTokens: 0 })
  })
})
