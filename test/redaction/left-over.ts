// Whether anything of a secret can still be read in a text: as it is, without its colours, or behind base64.

const WINDOW_CHARS = 12

export function isLeft(secret: string, text: string): boolean {
  const readings = [text, withoutColours(text), ...decoded(text)]
  return windows(secret).some(part => readings.some(reading => reading.includes(part)))
}

function windows(secret: string): readonly string[] {
  if (secret.length <= WINDOW_CHARS) return [secret]
  const count = secret.length - WINDOW_CHARS + 1
  return Array.from({ length: count }, (_, at) => secret.slice(at, at + WINDOW_CHARS))
}

function withoutColours(text: string): string {
  return text.replace(/\x1b\[[0-9;]*[A-Za-z]/g, '')
}

function decoded(text: string): readonly string[] {
  const runs = text.match(/[A-Za-z0-9+/=\n]{16,}/g) ?? []
  return runs.map(run => Buffer.from(run.replaceAll('\n', ''), 'base64').toString('latin1'))
}
