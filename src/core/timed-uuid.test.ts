import { expect, test } from 'vitest'
import { timedUuid } from './timed-uuid.ts'

const BORN = Date.UTC(2026, 10, 17, 19, 16, 45, 795)

test('an id begins with its time, is of version 7 and takes the rest from the random one', () => {
  const id = timedUuid(BORN, '3b241101-e2bb-4255-8caf-4136c566a962')
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7255-8caf-4136c566a962$/)
  expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(BORN)
})
