import { helpText, type Option, options } from '../cli/options.ts'
import { helpOf, isSecret, settingNames } from '../server/config-settings.ts'
import { blockOf, codeOf, pageOf, sentenceOf, tableOf } from './markdown-page.ts'

const everyOption: readonly (readonly [name: string, option: Option])[] = Object.entries(options)

/** The page of the command `sightline`: what it runs, its commands and options, and the flags of the product. */
export function commandLinePage(): string {
  const commands = [...new Set(everyOption.flatMap(([, option]) => commandsOf(option)))]
  return pageOf(
    'Command line',
    `In a checkout the command is \`node scripts/sightline.mjs\`, of the package \`npx ./sightline-….tgz\` or, once installed, \`sightline\`. In
pipelines \`sightline.mjs\` is one file without dependencies, which has everything but the product itself.`,
    tableOf(
      ['Command', 'What it does'],
      [
        [
          '`sightline`, `sightline start`',
          'runs the product; takes [flags](#flags-of-the-product)',
        ],
        [
          '`sightline --check`',
          'checks settings, servers and database, and exits: 0 if all of it can be used',
        ],
        [
          '`sightline embedded`',
          'runs the embedded services alone; `--import recording.jsonl` adds builds',
        ],
        ...commands.map((command) => [
          `[${codeOf(`sightline ${command}`)}](#sightline-${command.replaceAll(' ', '-')})`,
          summaries[command] ?? '',
        ]),
        ['`sightline --help`, `--version`', 'says how it is used, and which version it is'],
      ],
    ),
    ...commands.flatMap((command) => [
      `## sightline ${command}`,
      ...(summaries[command] === undefined ? [] : [sentenceOf(summaries[command])]),
      tableOf(
        ['Option', 'What it does'],
        everyOption
          .filter(([, option]) => commandsOf(option).includes(command))
          .map(([name, { value, help }]) => [
            codeOf(value === undefined ? `--${name}` : `--${name} <${value}>`),
            sentenceOf(help.startsWith(`${command}: `) ? help.slice(command.length + 2) : help),
          ]),
      ),
    ]),
    '## Help',
    'What `sightline --help` prints, with the variables it reads and its exit codes:',
    blockOf('text', helpText()),
    '## Flags of the product',
    'Every [setting](configuration.md#settings) is a flag as well; those of secrets name a file.',
    tableOf(
      ['Flag', 'What it does'],
      settingNames.map((name) => [
        codeOf(`--${name.toLowerCase().replaceAll('_', '-')}${isSecret(name) ? '-file' : ''}`),
        helpOf(name).replaceAll('<', '\\<'),
      ]),
    ),
  )
}

/** What each command is for; a test checks that none is missing. */
export const summaries: Readonly<Record<string, string>> = {
  scan: 'evaluates a policy scan on a package or a board; the exit code is the verdict',
  build: 'reports a build: why it failed, whether that is new, and what changed',
  export: 'writes builds as lines of JSON, old ones and as they arrive',
  'token create': 'makes an access token, and the lines for the configuration file',
  'roles explain': 'says which role the claims of a person give',
}

/** The commands of an option. */
export function commandsOf({ help, of = ['scan'] }: Option): readonly string[] {
  return help.startsWith('show ') ? [] : of
}
