// The verbs of the config, with their flags.
import type { Command } from 'commander'
import { addJsonFlag } from '../flags/flags.ts'
import type { VerbCall } from '../start/call.ts'

const CWD = 'the directory whose project config counts (default: this one)'

export function addConfigVerbs(program: Command, call: VerbCall): void {
  const config = program
    .command('config')
    .description('the settings: show where each comes from, edit, check')
  const verbs = () => import('../operate/config.ts')

  addJsonFlag(config.command('show'))
    .description(
      'print every setting in force and where it comes from (what `reprise config` does)',
    )
    .option('--cwd <dir>', CWD)
    .action(call(async () => (await verbs()).showConfig))

  addJsonFlag(config.command('path'))
    .description("print the path of the user's config file, also when there is none yet")
    .option('--project', "print that of the project's file instead; exit 3 when there is none")
    .option('--cwd <dir>', CWD)
    .action(call(async () => (await verbs()).configPath))

  addJsonFlag(config.command('edit'))
    .description('edit the config with $VISUAL or $EDITOR; it takes effect only when it is valid')
    .action(call(async () => (await import('../operate/edit-config.ts')).editConfig))

  addJsonFlag(config.command('check'))
    .description('check the config files and the policies they name; exit 2 with line and key')
    .argument('[file]', 'check this file alone, as if it were the config')
    .option('--project', 'with a file: check it as the reprise.yaml of a project')
    .option('--cwd <dir>', CWD)
    .action(call(async () => (await verbs()).checkConfigFiles))
}
