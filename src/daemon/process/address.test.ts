import { describe, expect, test } from 'vitest'
import { addressOf, hostsOf, urlOf } from './address.ts'

describe('S1 the address', () => {
  test.each([
    [{}, '127.0.0.1'],
    [{ host: 'localhost' }, '127.0.0.1'],
    [{ host: '127.0.0.2' }, '127.0.0.2'],
    [{ host: '[::1]' }, '::1'],
  ])('%j is %s', (wanted, host) => {
    expect(addressOf(wanted)).toEqual({ host, isLoopback: true })
  })

  test.each(['0.0.0.0', '::', '10.0.0.1', 'example.org', '127.evil.example', ''])(
    '--host %s is refused',
    host => {
      expect(() => addressOf({ host })).toThrow(expect.objectContaining({ code: 'bad-input' }))
    },
  )

  test('--listen takes any address, but no name', () => {
    expect(addressOf({ listen: '0.0.0.0' })).toEqual({ host: '0.0.0.0', isLoopback: false })
    expect(() => addressOf({ listen: 'example.org' })).toThrow('not an address')
  })

  test('has the names others may call it by', () => {
    expect(hostsOf('127.0.0.1', 1)).toEqual([])
    expect(hostsOf('192.0.2.1', 80)).toEqual(['192.0.2.1:80'])
    expect(hostsOf('0.0.0.0', 5)).toContain('127.0.0.1:5')
    expect(urlOf('::1', 5)).toBe('http://[::1]:5')
  })
})
