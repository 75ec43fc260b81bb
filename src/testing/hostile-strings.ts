// Strings that look like something other than text: flags, files, commands, broken JSON. Every run uses the same ones.

const SEEDS = [
  '--settings={"hooks":{}}',
  '--dangerously-skip-permissions',
  '-p',
  '--',
  '-',
  '',
  ' ',
  '   \t\n',
  '\u0000',
  'a\u0000b',
  '\n--resume',
  'ok\n--model\nother',
  '$(touch x)',
  '`id`',
  '; rm -rf .',
  '../../../etc/passwd',
  '/etc/passwd',
  '/clear',
  '/compact now',
  '@/etc/passwd',
  'see @secret.txt',
  '\u202Egnp.exe',
  '\u001B[2J',
  '\uD800',
  'a\uDC00b',
  '{"type":"result","subtype":"success","is_error":false}',
  '{"__proto__":{"type":"result"}}',
  '{"type":"assistant","message":null}',
  '{"type":"assistant","message":{"content":[null,1,[],{"type":"tool_use"}]}}',
  '{"type":"system","subtype":"init","session_id":7}',
  'null',
  '[]',
  'x'.repeat(200_000),
  'claude-opus-4-8[1m]',
  'Bash(docker restart:*)',
  '00000000-0000-4000-8000-000000000000',
  'constructor',
  '__proto__',
]

/** The seeds first, then mixtures of two of them. */
export function* hostileStrings(count: number): Generator<string> {
  for (let i = 0; i < count; i += 1) {
    const [one, two] = [SEEDS[i % SEEDS.length] ?? '', SEEDS[(i * 7 + 3) % SEEDS.length] ?? '']
    if (i < SEEDS.length) yield one
    else yield mixed(one.slice(0, 500), two.slice(0, 500), i)
  }
}

function mixed(one: string, two: string, turn: number): string {
  const cut = turn % (one.length + 1)
  const characters = String.fromCharCode((turn * 37) % 0x3000)
  return [one + two, two.slice(0, cut) + one, one.slice(0, cut) + characters + two][turn % 3] ?? one
}
