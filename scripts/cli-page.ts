// The page about the CLI, from the program itself: verbs, arguments, flags, exit codes.
import type { Command } from 'commander'
import { EXIT_CODES } from '../src/cli/start/exit-code.ts'
import { examplesOf, VERB_GROUPS } from '../src/cli/start/help.ts'
import { buildProgram } from '../src/cli/start/program.ts'
import { SAME_SHAPE } from '../src/cli/start/same-shape.ts'

export function cliPage(): string {
  const program = buildProgram()
  return [
    '# The command line',
    '<!-- Made by `npm run docs` from src/cli. Do not edit. -->',
    program.description(),
    'The result goes to stdout, messages go to stderr. `--json` prints one JSON value on stdout, also for errors:\n`{ "error": { "code", "message", "hint" } }`. Control characters in text of agents and users are shown, not obeyed;\n`--json` keeps the exact text.',
    '| exit code | meaning |\n| ---: | --- |',
    Object.entries(EXIT_CODES)
      .map(([code, meaning]) => `| ${code} | ${meaning} |`)
      .join('\n'),
    'Wherever an id is asked for, its first letters are enough (`reprise runs show run_k3f`, or `k3f`), as long as no other id begins with\nthem. Times are local and name their zone. On a terminal, tables fit its width; without one, nothing is cut.',
    'Before or after every verb:',
    table(program),
    overview(program),
    ...program.commands.flatMap(command => sectionsOf(command, 'reprise')),
    SETTINGS,
    '## JSON as over HTTP',
    'A list is `{ "items": [...], "nextCursor": null }`; `nextCursor` goes into `--cursor` for the next page. These verbs print with `--json`\nexactly what the route answers ([http-api.md](http-api.md)), so one `jq` filter serves both. `runs show` adds `asked` when the run asked\nsomething: the items of `GET /api/runs/{id}/questions`.',
    sameShapeTable(),
  ]
    .join('\n\n')
    .replace('---: | --- |\n\n', '---: | --- |\n')
    .concat('\n')
}

/** The verbs in the groups of the help. */
function overview(program: Command): string {
  const rows = Object.entries(VERB_GROUPS).map(([heading, names]) => {
    const verbs = program.commands.map(verb => verb.name()).filter(name => names.includes(name))
    return `| ${heading.replace(':', '')} | ${verbs.map(name => `\`${name}\``).join(', ')} |`
  })
  return ['| | verbs |', '| --- | --- |', ...rows].join('\n')
}

function sectionsOf(command: Command, parent: string): readonly string[] {
  const name = `${parent} ${command.name()}`
  if (command.commands.length > 0) {
    const inner = command.commands.flatMap(verb => sectionsOf(verb, name))
    return [`## ${name}`, sentence(command.description()), ...inner]
  }
  const level = parent === 'reprise' ? '##' : '###'
  return [
    `${level} ${name}`,
    sentence(command.description()),
    `\`\`\`\n${name} ${command.usage()}\n\`\`\``,
    table(command),
    ...examples(name.replace(/^reprise /, '')),
  ]
}

function examples(name: string): readonly string[] {
  const lines = examplesOf(name).map(([text, words]) => `# ${words}\n${text}`)
  return lines.length === 0 ? [] : [`\`\`\`\n${lines.join('\n')}\n\`\`\``]
}

function sameShapeTable(): string {
  const rows = Object.entries(SAME_SHAPE).map(
    ([verb, route]) => `| \`reprise ${verb}\` | \`${route}\` |`,
  )
  return ['| verb | route |', '| --- | --- |', ...rows].join('\n')
}

function table(command: Command): string {
  const values = command.registeredArguments.map(argument => {
    const name = argument.required ? `<${argument.name()}>` : `[${argument.name()}]`
    return row(name, argument.description)
  })
  const flags = command.options.map(option => {
    const fallback = option.defaultValue
    const plain = typeof fallback === 'string' || (typeof fallback === 'number' && fallback > 0)
    const choices = option.argChoices ? ` (${option.argChoices.join(', ')})` : ''
    const standard = plain ? `; default ${fallback}` : ''
    return row(option.flags, `${option.description}${choices}${standard}`)
  })
  return ['| | |', '| --- | --- |', ...values, ...flags].join('\n')
}

function row(name: string, description: string): string {
  return `| \`${name}\` | ${description.replaceAll('|', '\\|')} |`
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

const SETTINGS = `## Settings

Flags win over the environment, the environment over the project, the project over the user.

| where | what |
| --- | --- |
| \`$REPRISE_HOME\` | the data directory, for its owner alone; default \`$XDG_DATA_HOME/reprise\`, else \`~/.local/share/reprise\` |
| \`REPRISE_DATABASE_URL\` | the URL of a PostgreSQL database for the store, instead of a file in the data directory ([many-machines.md](many-machines.md)) |
| \`REPRISE_TELEMETRY_MODULE\` | a module that registers an exporter of OpenTelemetry ([telemetry.md](telemetry.md)); \`TRACEPARENT\` and \`TRACESTATE\` name the trace that a command belongs to |
| \`config.yaml\` in the data directory | \`defaultAgent\`, \`agents\`, \`resume\`, \`sessions\`, \`questions\`, \`maxRunning\`, \`checkpoints\`, \`daemon\`, \`database\`, \`telemetry\`, \`policies\` |
| \`reprise.yaml\` in the work dir, or at the root of the git repository around it | only \`resume\`, \`policies\` and \`agents.<name>.model\`: a repository never chooses what is executed |
| \`REPRISE_RESUME_MODE\`, \`REPRISE_RESUME_CONTEXT_THRESHOLD\`, \`REPRISE_RESUME_ON_WORK_DIR_CHANGE\`, \`REPRISE_RESUME_MAX_FRUITLESS_RESUMES\`, \`REPRISE_RESUME_MAX_SESSION_AGE_MS\`, \`REPRISE_RESUME_WHEN_UNKNOWN\` | the resume settings, one each |
| \`REPRISE_LOG_LEVEL\` | how much the daemon logs: \`error\`, \`warn\`, \`info\` or \`debug\` |
| \`REPRISE_NO_DAEMON\` | open the store here, also when a daemon runs |
| \`REPRISE_NODE\` | the Node that \`reprise\` runs on; default: \`node\` on \`PATH\`; in a clone of the repository, the Node 24 that \`npm ci\` installed |
| \`NO_COLOR\` | no colours on a terminal |
| \`REPRISE_DEBUG\` | errors with their stack |

\`\`\`yaml
# config.yaml: an unknown key is an error that names its line
defaultAgent: claude-code
agents:
  claude-code:
    executable: claude                 # a name on PATH or an absolute path
    model: claude-sonnet-4-5   # without it the agent chooses by its own settings
    permissionMode: default
    env: { DISABLE_TELEMETRY: '1' }    # set for the agent
    passEnv: [MY_PROXY]                # taken over from your environment, besides the adapter's own list
  second:                              # the same adapter under another name
    adapter: claude-code
    executable: /opt/other/bin/claude
resume:
  mode: auto                           # or never
  contextThreshold: 0.8                # of the model's window
  onWorkDirChange: replay              # or relocate
  maxFruitlessResumes: 3
  maxSessionAgeMs: null                # no limit
  whenUnknown: replay                  # or resume
  replay: prompt                       # or native: a replay is a session that Reprise writes
maxRunning: 8                          # turns that run at a time, those of jobs and chains too; default: 4 per core
daemon:
  logLevel: info                       # error, warn, info or debug
  drainMs: 0                           # how long runs may go on when the daemon stops
checkpoints:
  keepDays: 30                         # after the end of a job; null: for ever
workspaces:                            # work trees of repositories (--repository)
  keepMs: 604800000                    # after the end of a job or chain, and for unused clones; null: for ever
  maxBytes: 21474836480                # of all clones; beyond it unused ones go
vault:
  maxBytes: null                       # of all copies of session files, compressed; beyond it the oldest go. null: no limit
\`\`\``
