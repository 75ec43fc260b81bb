// Lines with a secret and lines that only look like it. What redaction leaves out of a line stands between « and ».
import { expect, test } from 'vitest'
import { cutText, wholeWords } from './cut-text.ts'
import { redact, secretValues } from './redact.ts'
import { secretKind } from './secret-names.ts'
import { merged, REPLACEMENT, replaceSpans } from './span.ts'

const LINES: readonly string[] = [
  'password=«hunter2»',
  'password = «hunter2»',
  'password: «hunter2»',
  'password => "«hunter2x»"',
  'password => hunter2x',
  'password := «hunter22»',
  'password == hunter2',
  'password =~ hunter2',
  'password :: hunter2',
  'password:-«hunter22»',
  'password:-1',
  'db_pass=«abc1»',
  'pwd=abcd',
  'my_pwd_2: "«abcd»"',
  'mypwd=abcd',
  'passphrase: "«correct horse 1»"',
  'passphrase: "correct horse"',
  'password: "Password"',
  'password: "Required"',
  'password: "«requiredx»"',
  'password: "«hunter»"',
  'password: hunter',
  'password: hunter.two',
  'password: «hunter-two»',
  'password: «Hunter_2»',
  'password: userPassword',
  'password: "«Hunter2x»"',
  'password: getSecret2(x)',
  'password: get(x1)',
  'password: list1[0]',
  'password: a.b1',
  'password: abc',
  'password: "abc"',
  'PASSWORD=abc',
  'PASSWORD=«abcd»',
  'PASSWORD=null',
  'PASSWORD=$X',
  'PASSWORD=xxxxxx',
  'PASSWORD=your-password',
  'PASSWORD=my_secret_key',
  'PASSWORD=/etc/passwd',
  'PASSWORD=https://x.example/y',
  'PASSWORD=«a,b;c)d»',
  'PASSWORD= «abcd1»',
  'PASSWORD = abcd',
  'PASSWORD=«abcd1»),;',
  'db-pass=«abc1»',
  'password=«abcd1»,',
  'password=«abcd1»)',
  "PASSWORD='«it is 1»'",
  'PASSWORD="«unclosed 12»',
  'PASSWORD="two\nlines1"',
  'token=«abcd1234»',
  'token=abcd123',
  'token: abcdefg1',
  'token: «abcdef12»',
  'token: "«abcdefg1»"',
  'token=1.2.3.4567',
  'token=v12.345.678',
  'token=abcdefgh',
  'TOKEN=«aBaBaBaBaBaBaBaBaBaBaBaBaBaBaBaB»',
  'TOKEN=aBaBaBaBaBaBaBaBaBaBaBaBaBaBaBa',
  'token: aBaBaBaBaBaBaBaBaBaBaBaBaBaBaBaB',
  'TOKEN=abababababababababababababababab',
  'TOKEN=ABABABABABABABABABABABABABABABAB',
  'token: "abc def 12"',
  'token: "«abc.def.ghi12»"',
  'token: abc.def.ghi12',
  'apiKey: "«abc12345»"',
  'api-key=«abc12345»',
  'x.accessKey="«abc12345»"',
  'monkey=abc12345',
  'MY_KEY_X=«abc12345»',
  'my_key_x=abc12345',
  'x9_KEY_X=abc12345',
  'MY_KEY_x=abc12345',
  'x[MY_KEY_X=«abc12345»',
  'KEY_PATH=abc12345',
  'TOKEN_URL=abc12345',
  'PUBLIC_KEY=abc12345',
  'tokens=abc12345',
  'token_12=«abc12345»',
  'token_1234=abc12345',
  'githubPat=abc12345',
  'sas=«abc12345»',
  'credential: "«abc12345»"',
  '--token «abc12345»',
  '--token "«abc12345»"',
  '--token=«abc12345»',
  '-token abc12345',
  '--password «x1yz»',
  '--password  «hunterx»',
  'token abc12345',
  '<password>«hunter2»</password>',
  '<password>a b</password>',
  '<password>at least 8 characters</password>',
  '<password>«hunter2,(x)!»</password>',
  '<token>«abc12345»</token>',
  '<Password value>',
  'x?key=«abc12345»',
  'x&sig=«abc12345»&y=1',
  'x?code=abc12345',
  'https://h/callback?code=«3f1c9e0a7b5d2846f0e1»&state=xyz',
  'https://h/callback?state=xyz&code=«4/0AX4XfWh-abc_DEF.ghi-JKL_mnopq» HTTP/1.1',
  'https://h/callback?state%3Dxyz%26code%3D«3f1c9e0a7b5d2846f0e1»%26x',
  'grant_type=authorization_code&code=«a1b2c3d4-e5f6-a7b8-c9d0-e1f2a3b4c5d6»',
  'GET /items?code=404',
  'GET /items?code=order-cancelled-2024',
  'GET /items?code=1234567890123456789012345678901234567890',
  'GET /items?code=aaaaaaaa-aaaaaaaa-aaaaaaaa-aaaaa',
  'GET /items?code=aaaaaaaa-aaaaaaaa-aaaaaaaa-aaa1',
  'GET /items?code=«aaaaaaaa-aaaaaaaa-aaaaaaaa-aaaa1»',
  'GET /items?postcode=3f1c9e0a7b5d2846f0e1',
  'exit code=3f1c9e0a7b5d2846f0e1',
  'a&code!=3f1c9e0a7b5d2846f0e1',
  'x?barcode=1&code=«3f1c9e0a7b5d2846f0e1»',
  'code=abc12345',
  'x?keys=abc12345',
  'x?monkey=abc12345',
  'x?key_id=abc12345',
  'X-Amz-Signature=«abc12345»',
  'x?X-Amz-Signature=«abc12345»',
  'https://h/?token=«abcdefgh1»',
  '{"name": "DB_PASSWORD", "value": "«hunter2»"}',
  'name: DB_PASSWORD\n  value: «hunter2»',
  '- name: TOKEN\n  value: "«abc12345»"',
  'DB_PASSWORD xvalue: hunter2',
  '{"password":{"value":"«hunter2»"}}',
  '{"password": {"type": "string", "minLength": 8, "maxLength": 1024, "pattern": "^[A-Z0-9]{8,}$"}}',
  '{"password": {"from": "vault", "value": "«hunter2»"}, "value": "hunter2"}',
  '{"password": {"S": "«hunter2»"}, "name": {"S": "hunter2"}}',
  '{"password": {"value": ["«hunter2»", "«hunter3»"], "note": "hunter2"}}',
  '{"password": [{"value": "«hunter2»"}, {"value": "«hunter3»"}]}',
  '{"auth": {"options": {"value": "«abc12345»"}, "value": "hunter2"}}',
  '{"auth": {"password": {"value": "«hunter2»"}, "value": "hunter2"}}',
  '{"password": {"value": {"old": {"plain": "«hunter2»"}}}}',
  '{"password": {"value": "«hunter2»"}, "port": {"value": "12345"}}',
  '{"password": {"value": "hidden"}}',
  '{"password": {"secretKeyRef": {"name": "db", "key": "db-password1"}}}',
  '{"password": {"value"',
  '{"password": {"value": "«hunter2»',
  '{"password": {]}',
  "password: { value: '«hunter2»' }",
  'password = { value = "«hunter2»" }',
  'const password = { rules: [minLength(8)], value: "hunter2" }',
  '"{\\"password\\":{\\"value\\":\\"«hunter2»\\"}}"',
  'password:\n  value: «hunter2»',
  'password:\n  value: "«hunter2»"\n  other: x',
  'password:\n  rule: 1\n  value: hunter2',
  'Authorization: Bearer «abc12345»',
  'Authorization: Basic «dXNlcjpwYXNz»',
  'Bearer abcdefgh',
  'Bearer abc1234',
  'Bearer «abc12345»',
  'bearer  «abc12345»',
  'Bearer 12345678',
  'Bearer:abc12345',
  'Basic «dXNlcjpwYXNz»',
  'Basic dXNlcm5hbWU=',
  'Basic training1',
  'Basic AXVzZXI6cGFzcw==',
  'Basic dXNlcjpwYXNzAQ==',
  'Authorization: token «abc12345»',
  'Authorization: Negotiate «abc12345»',
  'authorization = "Bearer «abc12345»"',
  'AUTHORIZATION=Bearer «abc12345»,x',
  'Proxy-Authorization: Bearer «abc12345x»',
  'Cookie: «sid=abcdef»',
  'Cookie: sid=abcde',
  'Set-Cookie: «sid=abcdef; Path=/; HttpOnly»',
  'cookie=«sid=abcdef1»',
  'Cookie sid=abcdef',
  'cookies: sid=abcdef',
  '--cookie=«sid=abcdef1»',
  "{'password': «12345678»}",
  '{"token":12345678}',
  '{"a":{"password":["«hunter2»"]}}',
  '{"password": [\n  "«hunter2»",\n  "«hunter3»"\n]}',
  '{"password":["«hunter2»", "confirmed", "«pass-word»", "min"]}',
  '{"password":["This password is too short: it needs 8 characters."]}',
  '{"required":["password","hunter2"]}',
  '{"tokens":["abc12345"]}',
  '{"X-Api-Key":["«abc12345»"],"Accept":["abc12345"]}',
  '{"X-Api-Key":["abcdefg1"]}',
  '{"password":["«a\\"b1»","«c2-d»"]}',
  '"{\\"password\\":[\\"«hunter2»\\"]}"',
  '{"set-cookie":["«sid=abcdef; Path=/»","«lang=english»","a=b"]}',
  '{"password":[["hunter2"]]}',
  "password: ['hunter2']",
  '{"password":true}',
  '{"pin":1,"secret":"«a\\\\b\\"c1»"}',
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaapassword=hunter2',
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaapassword=«hunter2»',
  '_password=«hunter2»',
  '--my-password=«hunter2»',
  "os.environ['API_KEY'] = '«abc12345»'",
  'x["token"] = "«abc12345»"',
  'https://u:«hunter2»@h',
  'https://:«hunter2»@h',
  'https://u:«p:q»@h',
  'https://u:$X@h',
  'https://u:xxx@h',
  'https://u:...@h',
  'https://u:<p>@h',
  'https://u@h',
  'https://«Kx9aB3dE5gH7jK9mN1pQ3sT5»@h',
  'ssh://abcdefghijklmnopqrst@h',
  'https://h/a:b@c',
  'a://u:«p1»@h b://v:«p2»@h',
  'https://u:«p@ss»@h',
  'https://u:«pa#1»@h',
  '«sk-ant-api03-aaaaaaaaaaaaaaaa»',
  'sk-ant-aaaaaaaaaaaaaaa',
  'sk-aaaaaaaaaaaaaaaaaaaa',
  '«sk-Kx9aB3dE5gH7jK9mN1pQ3sT5»',
  'xsk-ant-aaaaaaaaaaaaaaaaaaaa',
  '«ghp_aaaaaaaaaaaaaaaaaaaa».',
  'ghp_aaaaaaaaaaaaaaaaaaa',
  '«ya29.aaaaaaaaaaaaaaaaaaaa».',
  '«glpat-aaaaaaaaaaaaaaaaaa.».',
  'key «ghp_aaaaaaaaaaaaaaaaaaaa» and «npm_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb»',
  '«AKIAAAAAAAAAAAAAAAAA»',
  'AKIAAAAAAAAAAAAAAAAAA',
  '«AKIAAAAAAAAAAAAAAAAA» «aB3/aB3/aB3/aB3/aB3/aB3/aB3/aB3/aB3/aB3/»',
  '«AKIAAAAAAAAAAAAAAAAA» aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  '«aB3/aB3/aB3/aB3/aB3/aB3/aB3/aB3/aB3/aB3/» «AKIAAAAAAAAAAAAAAAAA»',
  'aB3/aB3/aB3/aB3/aB3/aB3/aB3/aB3/aB3/aB3/',
  '«eyJaaaaaaaa.bbbbbbbb.c»',
  'eyJaaaaaaa.bbbbbbbb',
  '«12345678:AAaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa»',
  '«1//0aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa»',
  '«hooks.slack.com/services/AAAAAAAAAAAAAAAAAAAA»',
  '«Maaaaaaaaaaaaaaaaaaaaaaa.bbbbbb.ccccccccccccccccccccccccccc»',
  '«abc1Q~aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa»',
  'Maaaaaaaaaaaaaaaaaaaaaaa.x',
  '\u001b[31mpassword\u001b[0m=\u001b[1m«hunter2\u001b[0m!»',
  '\\u001b[31mTOKEN=«abc12345»\\u001b[0m',
  'password%3D«hunter2»%26x',
  'password\\u003d«hunter2»\\n',
  '"{\\"password\\":\\"«hunter2»\\"}"',
  '\\"password\\": \\"«a\\\\\\"b1»\\", x',
  'TOKEN=«abc1%322345»',
  'a\\tpassword=«hunter2»\\tb',
  '31mTOKEN=«abc12345»',
  '\u001b]0;title\u0007TOKEN=«abc12345»',
  '\\x1b[1mTOKEN=«abc12345»',
  '\\033[1mTOKEN=«abc12345»',
  '%7Fpassword%1F=hunter2',
  '«cGFzc3dvcmQ9aHVudGVyMiBhbmQgbW9yZQ==»',
  'x «dGhlIHBhc3N3b3JkPWh1bnRlcjI» y',
  'bm90aGluZyB0byBzZWUgaGVyZSBhdCBhbGw=',
  'cGFzc3dvcmQ9aA==',
  '«eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4\neHh4eHh4eHh4eHh4IHBhc3N3b3JkPWh1bnRlcjIgeXl5eXl5eXl5eXl5eXl5eXl5\neXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5»',
  'eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4\n«IHBhc3N3b3JkPWh1bnRlcjIgeXl5eXl5eXl5eXl5»\neXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5eXl5\neXl5eXl5eXl5eXl5eXl5eXl5',
  'AAFwYXNzd29yZD1odW50ZXIy',
  '«w6kgcGFzc3dvcmQ9aHVudGVyMiDDvA==»',
  '«-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----»',
  'a «-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----» b',
  '«-----BEGIN PRIVATE KEY-----\nabc and»',
  '«-----BEGIN PRIVATE KEY-----\nabc»!',
  '«abc\n-----END PRIVATE KEY-----» x',
  '!« abc\n-----END PRIVATE KEY-----»',
  '«-----BEGIN PRIVATE KEY----- »{"a": 1}« -----END PRIVATE KEY-----»',
  '«-----BEGIN PRIVATE KEY-----a-----END PRIVATE KEY-----»!«-----BEGIN PRIVATE KEY-----b-----END PRIVATE KEY-----»',
  'PRIVATE KEY',
  '«-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\nabc=\n-----END PGP PRIVATE KEY BLOCK-----»',
  '«-----BEGIN PRIVATE KEY-----\nProc-Type: 4\n-----BEGIN PRIVATE KEY-----\nb!\n-----END PRIVATE KEY-----»!\n',
  '!«a -----END PRIVATE KEY-----»!«b -----END PRIVATE KEY----------BEGIN PRIVATE KEY-----c!d-----END PRIVATE KEY-----»!«-----BEGIN PRIVATE KEY-----e»!',
  'x!«-----END PRIVATE KEY-----»yy«-----BEGIN PRIVATE KEY-----zz»!',
  '-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----',
]

test.each(LINES)('S21 %j', marked => {
  const text = marked.replaceAll(/[«»]/g, '')
  expect(redact(text)).toBe(marked.replaceAll(/«[^»]*»/g, '[redacted]'))
})

test('S21 a bare value of a JSON document becomes a string, and a nested document is searched string by string', () => {
  expect(redact('{"password":12345678}')).toBe('{"password":"[redacted]"}')
  expect(redact('{"password":{"value":12345678}}')).toBe('{"password":{"value":"[redacted]"}}')
  const deep = JSON.stringify({ a: [{ password: 'a"b\\', n: 1, ok: true, none: null }] })
  expect(JSON.parse(redact(deep))).toEqual({
    a: [{ password: '[redacted]', n: 1, ok: true, none: null }],
  })
  const deeper = JSON.stringify([{ password: { value: 'a"b\\', why: 'rotation' } }])
  expect(JSON.parse(redact(deeper))).toEqual([
    { password: { value: '[redacted]', why: 'rotation' } },
  ])
})

test('S21 a key block that is too long for a key is left out in its two halves', () => {
  const block = (chars: number) =>
    `-----BEGIN PRIVATE KEY-----\n${'a'.repeat(chars)}!\n-----END PRIVATE KEY-----`
  expect(redact(block(30_000))).toBe('[redacted]')
  expect(redact(block(33_000))).toBe('[redacted]![redacted]')
  expect(redact(block(32 * 1024 - 3))).toBe('[redacted]')
  expect(redact(block(32 * 1024 - 2))).toBe('[redacted]![redacted]')
})

test('S21 an AWS secret is known by the id near it', () => {
  const id = `AKIA${'A'.repeat(16)}`
  const secret = 'aB3/'.repeat(10)
  for (const word of ['ab3/', 'AB3/', 'aBc/'].map(part => part.repeat(10)))
    expect(redact(`${id} ${word}`)).toBe(`[redacted] ${word}`)
  expect(redact(`ghp_${'a'.repeat(20)} ${secret}`)).toBe(`[redacted] ${secret}`)
  expect(redact(`${id}${' '.repeat(200)}${secret}`)).toBe(`[redacted]${' '.repeat(200)}[redacted]`)
  expect(redact(`${id}${' '.repeat(241)}${secret}`)).toBe(`[redacted]${' '.repeat(241)}${secret}`)
})

test('S21 known values are left out wherever they stand, and short ones are not known', () => {
  expect(redact('abcdefgh-abcdefgh abcdefgh', ['abcdefgh'])).toBe(
    '[redacted]-[redacted] [redacted]',
  )
  expect(secretValues({ A_TOKEN: '12345678', B_TOKEN: '1234567', HOME: '12345678' })).toEqual([
    '12345678',
  ])
  expect(secretValues({ A_TOKEN: undefined })).toEqual([])
})

test('S21 a path of the directory in which a shell started Reprise is stored as it is', () => {
  const known = secretValues({ PWD: '/home/me/server', DB_PWD: 'hunter2hunter2' })
  expect(redact('cat /home/me/server/README.md; login hunter2hunter2', known)).toBe(
    `cat /home/me/server/README.md; login ${REPLACEMENT}`,
  )
})

test.each([
  ['dbPassword', 'password'],
  ['DB-Password', 'password'],
  ['DB_PASSWORD_2', 'password'],
  ['passwords', null],
  ['apiKey', 'key'],
  ['x-api-key', 'key'],
  ['AWS_SECRET_ACCESS_KEY', 'key'],
  ['MY_KEY_X', 'key'],
  ['my_key_x', null],
  ['KEY_ID', null],
  ['monkey', null],
] as const)('S21 the name %s announces: %s', (name, kind) => {
  expect(secretKind(name)).toBe(kind)
})

test('S21 spans are merged where they meet, whatever their order', () => {
  const spans = [
    { start: 8, end: 9 },
    { start: 0, end: 2 },
    { start: 2, end: 4 },
    { start: 1, end: 3 },
    { start: 0, end: 1 },
  ]
  expect(merged(spans)).toEqual([
    { start: 0, end: 4 },
    { start: 8, end: 9 },
  ])
  expect(replaceSpans('abcdefghij', spans)).toBe('[redacted]efgh[redacted]j')
  expect(replaceSpans('abc', [{ start: 1, end: 2, quote: '"' }])).toBe('a"[redacted]"c')
  expect(replaceSpans('abc', [])).toBe('abc')
})

test('S21 a long text is cut before a word, unless that word is longer than any key', () => {
  expect(cutText('one two three', 13)).toBe('one two three')
  expect(cutText('one two three', 10)).toBe('one two …')
  expect(cutText('one,two', 5)).toBe('one,…')
  expect(cutText('x'.repeat(600), 599)).toBe(`${'x'.repeat(599)}…`)
  expect(wholeWords(`a ${'x'.repeat(511)}`)).toBe('a ')
  expect(wholeWords(`a ${'x'.repeat(512)}`)).toBe(`a ${'x'.repeat(512)}`)
  expect(wholeWords('')).toBe('')
})
