// The verbs that check the installation and show what Reprise does, with their flags: doctor, demo.
import type { Command } from 'commander'
import { addJsonFlag } from '../flags/flags.ts'
import type { VerbCall } from '../start/call.ts'

export function addInstallationVerbs(program: Command, call: VerbCall): void {
  addJsonFlag(program.command('doctor'))
    .description(
      'check the installation: Node, data directory, store, agents, daemon; exit 2 or 70 when something is wrong',
    )
    .action(call(async () => (await import('../doctor/doctor.ts')).doctor))

  addJsonFlag(program.command('demo'))
    .description(
      'show a tour of one minute with a built-in fake agent: no key, no network, nothing kept',
    )
    .option('--full', 'make a rich store instead: threads, chains and jobs of two weeks')
    .option('--data-dir <directory>', 'with --full: make the store here, and keep it')
    .option('--no-stay', 'end at once; without it, a terminal keeps the dashboard open until Enter')
    .action(call(async () => (await import('../demo/demo.ts')).demo))
}
