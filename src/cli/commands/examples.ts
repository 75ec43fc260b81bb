// Examples for `--help` and docs/cli.md, by verb. A test parses every one of them.

/** A command as one would type it, and what it does. */
export type Example = readonly [command: string, words: string]

export const FIRST_EXAMPLES: readonly Example[] = [
  ['reprise demo', 'see what it does in a minute, without a key'],
  ['reprise send "add a health check to the server"', 'begin a thread in this directory'],
  ['reprise send -c "now write its test"', 'go on where it left off'],
  ['git diff | reprise send "review this"', 'what is piped in follows the prompt'],
  ['reprise why RUN', 'why a run was resumed, forked or replayed'],
  ['reprise serve', 'the daemon: jobs, schedules, HTTP API, dashboard'],
]

export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  send: [
    ['reprise send "fix the failing test"', 'a new thread'],
    ['reprise send -t THREAD "and document it"', 'the next turn of a thread'],
    ['reprise send -c --json "what is left?"', 'the latest thread of this directory, as JSON'],
  ],
  chat: [
    ['reprise chat', 'a new thread'],
    ['reprise chat -c', 'the latest thread of this directory'],
  ],
  claude: [
    ['reprise claude -p "fix the failing test"', 'as `claude -p`, and on record'],
    [
      'reprise claude -p --resume 5b2f1c6e-0d0a-4c9a-8a55-0c1f6a2f9d11 "go on"',
      'also when its file is gone',
    ],
  ],
  'threads ls': [
    ['reprise threads --since 7d', 'those of the last week'],
    ['reprise threads -q "health check"', 'those that speak of it'],
  ],
  'threads show': [['reprise threads show THREAD', 'messages with their ids and decisions']],
  'threads edit': [['reprise threads edit THREAD 3 "use Postgres"', 'change message 3 in place']],
  'threads retry': [['reprise threads retry THREAD 3', 'ask message 3 again']],
  'threads truncate': [['reprise threads truncate THREAD 5', 'drop message 5 and what follows']],
  'threads select': [['reprise threads select THREAD MESSAGE', 'go back to an earlier version']],
  'threads fork': [['reprise threads fork THREAD --at 4', 'a new thread from the first four']],
  'threads rename': [['reprise threads rename THREAD release notes', 'no quotes needed']],
  'threads export': [
    ['reprise threads export THREAD -o fix.reprise', 'for another machine or another person'],
    ['reprise threads export THREAD --no-sessions', 'without what only agents have read'],
    ['reprise threads export THREAD --only-checkpoints -o job.bundle', 'for `git fetch`'],
  ],
  'threads import': [
    ['reprise threads import fix.reprise', 'it goes on in this directory'],
    ['reprise threads import fix.reprise --trust-key ed25519:…', 'signed by a key that you trust'],
  ],
  'threads approve': [['reprise threads approve THREAD', 'after you have read it']],
  'threads key': [['reprise threads key', 'what the other side gives to --trust-key']],
  'threads rm': [['reprise threads rm THREAD --yes', 'without a question']],
  'runs ls': [['reprise runs --status running', 'what is going on now']],
  'runs show': [['reprise runs show RUN', 'decision, usage, cost, end']],
  'runs events': [['reprise runs events RUN --after 20', 'what happened after event 20']],
  'runs prompt': [['reprise runs prompt RUN', 'what the agent was really given']],
  'runs answer': [
    ['reprise runs answer RUN CALL', 'be asked on the terminal'],
    ['reprise runs answer RUN CALL --allow', 'allow a call'],
    ['reprise runs answer RUN CALL 2', 'choose the second option'],
  ],
  'runs cancel': [['reprise runs cancel RUN', 'end it with all its processes']],
  escalate: [
    ['reprise escalate -p ops "the shop answers slowly"', 'a policy that the config names'],
    ['reprise escalate -p ops.yaml --dry-run "look around"', 'a file; nothing is changed'],
  ],
  'chains ls': [['reprise chains --status held', 'those that wait for a person']],
  'chains show': [['reprise chains show CHAIN', 'its runs and its cost per tier']],
  'chains approve': [['reprise chains approve CHAIN', 'let the next tier begin']],
  'chains continue': [['reprise chains continue CHAIN', 'after an interruption']],
  'chains cancel': [['reprise chains cancel CHAIN', 'end it and its run']],
  'schedules ls': [['reprise schedules', 'what the daemon repeats']],
  'schedules rm': [['reprise schedules rm SCHEDULE', 'stop repeating it']],
  'policies ls': [['reprise policies', 'what the config names']],
  'policies show': [['reprise policies show ops', 'tiers, models, tools, limits']],
  'policies check': [['reprise policies check ops.yaml', 'before you use it']],
  'jobs ls': [['reprise jobs --status dead', 'those that gave up']],
  'jobs submit': [
    ['reprise jobs submit --timeout 30m "update the docs"', 'for the daemon'],
    ['reprise jobs submit --wait "fix the build"', 'work on it here when no daemon runs'],
    ['reprise jobs submit --cron \'0 3 * * 1-5\' "triage the issues"', 'repeated'],
  ],
  'jobs show': [['reprise jobs show JOB', 'why it waits or how it ended']],
  'jobs logs': [['reprise jobs logs JOB -f', 'as it comes']],
  'jobs retry': [['reprise jobs retry JOB --wait', 'once more, here']],
  'jobs cancel': [['reprise jobs cancel JOB', 'with all its processes']],
  'jobs rm': [['reprise jobs rm JOB --yes', 'with its thread and checkpoints']],
  'jobs prune': [['reprise jobs prune', 'old checkpoints only']],
  'jobs checkpoints': [['reprise jobs checkpoints JOB', 'states of its work dir']],
  'jobs diff': [['reprise jobs diff JOB 2', 'what changed up to checkpoint 2']],
  'jobs restore': [
    ['reprise jobs restore JOB 1 --dry-run', 'what would be overwritten'],
    ['reprise jobs restore JOB 1', 'asks first on a terminal'],
  ],
  'sessions ls': [['reprise sessions -t THREAD', 'those of one thread']],
  'sessions show': [['reprise sessions show SESSION', 'its file, our copy, what a wake-up costs']],
  'sessions archive': [['reprise sessions archive SESSION', 'as files that anybody can read']],
  'sessions unarchive': [['reprise sessions unarchive SESSION', 'use it again']],
  'sessions export': [['reprise sessions export SESSION -o s.reprise', 'with its thread, signed']],
  'sessions import': [['reprise sessions import s.reprise', 'on another machine']],
  'sessions doctor': [
    ['reprise sessions doctor', 'is a file lost without a copy?'],
    ['reprise sessions doctor SESSION', 'what is wrong with this one?'],
  ],
  why: [
    ['reprise why RUN', 'the decision in words'],
    ['reprise why RUN --settings other.yaml', 'what other settings would decide'],
  ],
  agents: [['reprise agents', 'found, version, abilities']],
  savings: [['reprise savings --by thread --since 7d', 'the last week, thread by thread']],
  'store copy': [
    ['reprise store copy ~/.local/share/reprise postgres://me@db/reprise', 'to many machines'],
    ['PGPASSWORD=… reprise store copy postgres://me@db/reprise ./restored', 'and back'],
  ],
  verify: [['reprise verify', 'every promise of the store']],
  worker: [
    ['reprise worker --concurrency 4 --label gpu', 'four jobs at a time, also those for gpu'],
    ['reprise worker --drain 5m', 'on SIGTERM, running jobs get five minutes'],
  ],
  workers: [['reprise workers', 'who works on jobs, where, and how busy they are']],
  serve: [
    ['reprise serve', 'on port 4747 of this machine alone'],
    ['reprise serve --drain 30s --log stderr', 'under systemd'],
  ],
  status: [['reprise status', 'does it run, and what is open?']],
  stop: [
    ['reprise stop --drain 30s', 'runs may end for 30 seconds'],
    ['reprise stop --now', 'interrupt them'],
  ],
  logs: [
    ['reprise logs -f', 'as it grows'],
    ['reprise logs -n 200 --level warn', 'what went wrong'],
  ],
  'token ls': [['reprise token', 'records, not secrets']],
  'token create': [['reprise token create --scope read,submit --label ci', 'for a CI job']],
  'token revoke': [['reprise token revoke TOKEN', 'from the next request on']],
  'token rotate': [['reprise token rotate', 'replace the main token']],
  login: [['reprise login --open', 'open the dashboard']],
  'config show': [['reprise config show', 'every setting and where it comes from']],
  'config path': [['reprise config path', 'where the file is']],
  'config edit': [['reprise config edit', 'in your editor; only a valid file is kept']],
  'config check': [['reprise config check', 'names line and key of each fault']],
  completion: [
    ['source <(reprise completion bash)', 'for this shell only'],
    ['reprise completion fish > ~/.config/fish/completions/reprise.fish', 'for every fish'],
  ],
  backup: [
    ['reprise backup /backups/reprise.tar.gz', 'also while the daemon works'],
    ['tar -xzf reprise.tar.gz -C "$REPRISE_HOME"', 'how it is restored; docs/backup.md'],
  ],
  doctor: [['reprise doctor', 'is everything there that it needs?']],
  demo: [
    ['reprise demo', 'one minute, no key, no network'],
    ['reprise demo --full --data-dir /tmp/rich', 'a store to look around in'],
  ],
  help: [['reprise help jobs submit', 'the same as `reprise jobs submit --help`']],
}
