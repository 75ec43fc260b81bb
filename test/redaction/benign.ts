// biome-ignore-all lint/suspicious/noTemplateCurlyInString: lines of code are quoted here, not run
// 5,000 lines that hold no secret, many of which talk about one: what agents see all day, and redaction must leave as it is.
import { BASE64, HEX, LETTERS, type Random, randomFrom } from './random.ts'

type Line = (random: Random) => string

const word: Line = random =>
  random.pick([
    'alpha',
    'session',
    'worker',
    'invoice',
    'upload',
    'matrix',
    'tokenizer',
    'keyboard',
    'passenger',
    'secretary',
    'author',
    'basket',
  ])
const number: Line = random => String(random.below(100_000))
const uuid: Line = random => [8, 4, 4, 4, 12].map(length => random.of(HEX, length)).join('-')
const version: Line = random => `${random.below(20)}.${random.below(40)}.${random.below(99)}`
const path: Line = random => `src/${word(random)}/${word(random)}-${number(random)}.ts`
const time: Line = random =>
  `2026-11-${10 + random.below(20)}T1${random.below(10)}:${10 + random.below(50)}:07.${random.below(900) + 100}Z`

/** Hashes, ids and encoded files. */
const RANDOM_LOOKING: readonly Line[] = [
  random => uuid(random),
  random => `commit ${random.of(HEX, 40)}`,
  random => `${random.of(HEX, 7)} fix(${word(random)}): key of ${word(random)} is kept`,
  random => `index ${random.of(HEX, 7)}..${random.of(HEX, 7)} 100644`,
  random => `${random.of(HEX, 64)}  ${path(random)}`,
  random => `      "integrity": "sha512-${random.of(BASE64, 86)}==",`,
  random => `integrity sha1-${random.of(BASE64, 27)}=`,
  random => `    image: registry.example/${word(random)}@sha256:${random.of(HEX, 64)}`,
  random => `go.sum: example.org/${word(random)} v${version(random)} h1:${random.of(BASE64, 43)}=`,
  random => `<img src="data:image/png;base64,iVBORw0KGgo${random.of(BASE64, 200)}">`,
  random =>
    `src: url(data:font/woff2;base64,d09GMgABAAAAA${random.of(BASE64, 160)}) format("woff2")`,
  random => `etag: W/"${random.of(HEX, 32)}"`,
  random => `x-request-id: ${uuid(random)}`,
  random => `traceparent: 00-${random.of(HEX, 32)}-${random.of(HEX, 16)}-01`,
  random => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${random.of(BASE64, 43)} me@example.org`,
  random => `SHA256:${random.of(BASE64, 43)} ${word(random)} (ED25519)`,
  random => `"messageId": "msg_${random.of(LETTERS, 24)}",`,
  random => `{"type":"tool_use","id":"toolu_${random.of(LETTERS, 24)}","name":"Bash"}`,
  random =>
    `chunk-${random.of(LETTERS, 8).toUpperCase()}.js  ${random.below(900)}.${random.below(90)} kB`,
  random =>
    Buffer.from(`a ${word(random)} walks into ${word(random)} number ${number(random)}`).toString(
      'base64',
    ),
  random =>
    `${random.of(HEX, 8)}: ${random.of(HEX, 4)} ${random.of(HEX, 4)} ${random.of(HEX, 4)} ${random.of(HEX, 4)}  ........`,
]

/** Code that handles secrets without holding one. */
const CODE: readonly Line[] = [
  random => `const token = await get${word(random)}Token(request, ${number(random)})`,
  () => 'if (password !== confirmPassword) return error("passwords differ")',
  random => `  password: z.string().min(${random.below(20)}),`,
  () => '  readonly apiKey: string',
  () => 'export type Credentials = { user: string; password: string; token?: string }',
  random => `const apiKey = process.env.${word(random).toUpperCase()}_API_KEY`,
  () => 'token = os.environ["GITHUB_TOKEN"]',
  random => `password = request.form.get("password", default=${number(random)})`,
  () => 'secret := r.Header.Get("X-Hub-Signature-256")',
  () => 'headers: { Authorization: `Bearer ${token}` },',
  () => 'curl -H "Authorization: Bearer $GITHUB_TOKEN" https://api.example.org/user',
  () => '          password: ${{ secrets.REGISTRY_PASSWORD }}',
  () => 'docker login -u "$USER" --password-stdin registry.example',
  random => `mysql --user=app --password=$DB_PASSWORD db${number(random)}`,
  random => `    secretKeyRef: { name: ${word(random)}-credentials, key: password }`,
  random => `  secretName: ${word(random)}-tls-${random.of(HEX, 5)}`,
  () => 'self.password_hash = bcrypt.hashpw(password.encode(), bcrypt.gensalt())',
  () => 'tokens = tokenizer.encode(text, add_special_tokens=False)',
  random => `  "max_tokens": ${number(random)},`,
  random => `  inputTokens: ${number(random)}, outputTokens: ${number(random)},`,
  random => `usage: input_tokens=${number(random)} cache_read_input_tokens=${number(random)}`,
  () => 'const key = `${user.id}:${session.key}`',
  random => `  "key": "${word(random)}.title",`,
  () => 'for (const [key, value] of Object.entries(headers)) headers.set(key, value)',
  () => 'private static final String PASSWORD_FIELD = "password";',
  () => '<input type="password" name="password" id="password" placeholder="Password" required>',
  () => 'labels: { password: "Password", secret: "Geheimnis", token: "Zugriffstoken" }',
  random =>
    `create table users (id bigint, password varchar(${number(random)}) not null, api_key text);`,
  () => 'fn token(&self) -> Option<&Token> { self.token.as_ref() }',
  () => 'auto token = lexer.next(); if (token.kind == Token::Eof) break;',
  random => `expect(await login({ password: undefined })).toBe(${number(random)})`,
  () => 'redact: ["password", "token", "authorization", "cookie"],',
  () => "const secret = crypto.randomBytes(32).toString('hex')",
  () => 'api_key=YOUR_API_KEY_HERE',
  () => 'API_KEY=your-api-key',
  () => 'DB_PASSWORD=${DB_PASSWORD:-changeme}',
  () => 'AWS_SECRET_ACCESS_KEY=<your secret access key>',
  () => 'password: "********"',
  () => '  "password": null, "token": true, "secret": "",',
  () => 'if token == "" || token == nil { return errNoToken }',
  () => 'const isSecret = name => name.endsWith("_KEY") || name.includes("TOKEN")',
  () => 'type TokenKind = "access" | "refresh"; let secretCount = 0',
  random => `.sk-circle-${number(random)}-fade-dot-animation { animation-delay: -1.1s }`,
  random => `import { sk-${word(random)}-something-long-enough } from "./${word(random)}"`,
]

/** Logs, listings, prose and settings. */
const TALK: readonly Line[] = [
  random =>
    `${time(random)} INFO ${word(random)} request id=${uuid(random)} status=200 took ${number(random)}ms`,
  random => `${time(random)} WARN token of session ${number(random)} expired, refreshing`,
  () => 'error: password authentication failed for user "app"',
  () => 'The secret management service rotates credentials every thirty days.',
  () => 'Bearer authentication is required; basic authorization was removed.',
  () => 'Please enter your password: ',
  random => `Enter passphrase for key '/home/me/.ssh/id_ed25519': attempt ${number(random)}`,
  random =>
    `-rw-r--r-- 1 me me ${number(random)} Nov 16 10:${10 + random.below(49)} ${path(random)}`,
  random => `PWD=/home/me/${word(random)}/${word(random)}-${number(random)}`,
  () => 'SSH_AUTH_SOCK=/tmp/ssh-XXXXXXabcdef/agent.4242',
  random => `PATH=/usr/local/bin:/usr/bin:/bin:/home/me/.${word(random)}/bin`,
  random => `KEY_FILE=/etc/ssl/private/${word(random)}-${number(random)}.pem`,
  random => `TOKEN_LIMIT=${number(random)}`,
  () => 'GPG_KEY_ID=DEADBEEF',
  random =>
    `https://example.org/${word(random)}/${number(random)}?page=${number(random)}&sort=key&order=asc`,
  random => `git@github.com:${word(random)}/${word(random)}.git (fetch)`,
  random => `mailto:${word(random)}.${word(random)}@example.org`,
  random => `    at ${word(random)} (${path(random)}:${number(random)}:${random.below(80)})`,
  random =>
    `+ ${word(random)}@${version(random)} added ${number(random)} packages in ${random.below(60)}s`,
  random => `| ${word(random)} | ${version(random)} | the key of the ${word(random)} map |`,
  random => `- [x] ${word(random)}: the author signs the token list (#${number(random)})`,
  random =>
    `PASS src/${word(random)}/password-${number(random)}.test.ts (${random.below(90)} tests)`,
  random => `coverage: ${path(random)} ${random.below(100)}.${random.below(99)} %`,
  random =>
    `# ${word(random)}: set the password with "reprise token add", see docs/${word(random)}.md`,
  random => `keyboard-interactive/pam: user ${word(random)} port ${number(random)} ssh2`,
  random => `vm.overcommit_memory = ${random.below(3)}; net.key.count = ${number(random)}`,
  random => `C:\\new\\tokens\\result-${number(random)}.txt`,
  random => `progress 100%20 of ${number(random)} done, 3%ad`,
  random => `\x1b[32m✓\x1b[0m ${word(random)} keeps its key \x1b[2m${number(random)} ms\x1b[0m`,
  random =>
    `basic usage: ${word(random)} --token-file ${path(random)} --key-size ${number(random)}`,
]

const LINES = [...RANDOM_LOOKING, ...CODE, ...TALK]

export function benignLines(count = 5_000, seed = 2): readonly string[] {
  const random = randomFrom(seed)
  return Array.from({ length: count }, (_, index) => LINES[index % LINES.length]?.(random) ?? '')
}
