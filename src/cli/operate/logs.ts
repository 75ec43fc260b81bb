// reprise logs: prints the end of the daemon's log, and what is added to it.
import { loadConfig } from '../../config/config.ts'
import { LOG_LEVELS, type LogLevel } from '../../core/daemon-settings.ts'
import { readDaemonFile } from '../../daemon/process/daemon-file.ts'
import { type LogLine, parseLogLine } from '../../daemon/process/log-line.ts'
import { logPath } from '../../daemon/process/log-path.ts'
import { RepriseError } from '../../errors.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { type Io, paint } from '../start/io.ts'
import { printJson, printLine } from '../view/print.ts'
import { sanitiseLine } from '../view/sanitise.ts'
import { followLines, lastLines } from './log-file.ts'

export type LogsFlags = JsonFlag & {
  readonly lines: number
  readonly level?: LogLevel
  readonly follow?: true
  readonly streamJson?: true
}

export async function logs(io: Io, flags: LogsFlags): Promise<number> {
  const { home } = await loadConfig({ env: io.env, cwd: io.cwd })
  const path = logPath(home)
  const isWanted = wantedBy(flags.level)
  const found = lastLines(path, flags.lines, isWanted)
  if (found === null && !flags.follow) throw noLog(home, path)
  const lines = found?.lines ?? []
  if (flags.json) {
    printJson(io, { items: lines.map(parseLogLine), nextCursor: null })
    return 0
  }
  const print = flags.streamJson ? printRaw(io) : printText(io)
  for (const line of lines) print(line)
  if (!flags.follow) return 0
  const left = new AbortController()
  const end = io.onStopRequest(() => left.abort())
  try {
    const from = found ?? { end: 0 }
    for await (const line of followLines(path, from, left.signal)) if (isWanted(line)) print(line)
    return 0
  } finally {
    end()
  }
}

function noLog(home: string, path: string): RepriseError {
  if (readDaemonFile(home)?.logTo === 'stderr') {
    return new RepriseError(
      'not-found',
      'the daemon logs to its stderr (--log stderr), not to a file',
      'Read it where the daemon was started; with systemd: `journalctl --user -u reprise`.',
    )
  }
  const hint = 'Start the daemon with `reprise serve`; it writes the log.'
  return new RepriseError('not-found', `there is no log yet: ${path}`, hint)
}

function wantedBy(level: LogLevel | undefined): (line: string) => boolean {
  if (level === undefined) return () => true
  const wanted: readonly string[] = LOG_LEVELS.slice(0, LOG_LEVELS.indexOf(level) + 1)
  return line => {
    const { level: found } = parseLogLine(line)
    return found === null || found === 'fatal' || wanted.includes(found)
  }
}

/** The file holds what the daemon wrote; JSON escapes control characters already. */
function printRaw(io: Io): (line: string) => void {
  return line => printLine(io, sanitiseLine(line))
}

const COLOURS: Readonly<Record<string, 'red' | 'magenta' | 'dim'>> = {
  fatal: 'red',
  error: 'red',
  warn: 'magenta',
  debug: 'dim',
}

function printText(io: Io): (line: string) => void {
  return line => {
    const parsed = parseLogLine(line)
    const colour = parsed.level === null ? undefined : COLOURS[parsed.level]
    const look = colour ? paint(io, io.stdout, colour) : (text: string) => text
    printLine(io, look(sanitiseLine(textOf(parsed))))
  }
}

/** A line that is not ours is printed as it is. */
function textOf({ time, level, message, fields, raw }: LogLine): string {
  if (raw !== null) return raw
  const more = Object.entries(fields).map(([name, value]) => `${name}=${plain(value)}`)
  return [time ?? '–', (level ?? '–').padEnd(5), message, ...more].join(' ')
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
