import { helpOf, isSecret, settingNames } from './config-settings.ts'

/** What `--help` prints: every setting as variable and flag, one line each. */
export function settingsHelp(): string {
  const rows = settingNames.map((name) => {
    const flag = `--${name.toLowerCase().replaceAll('_', '-')}${isSecret(name) ? '-file' : ''}`
    return [`SIGHTLINE_${name}`, flag, helpOf(name)] as const
  })
  const width = (column: 0 | 1): number => Math.max(...rows.map((row) => row[column].length)) + 2
  return [
    'Sightline: a live dashboard for build engineers and release managers.',
    '',
    '  npm start -- [flags]       proxy, dashboard and, without a server, the embedded services',
    '  npm run embedded -- [flags] [--import recording.jsonl]     the embedded services alone',
    '',
    'Each setting is an environment variable, the same with _FILE behind it for a file with the',
    'value, or a flag. Secrets are flags as files only.',
    '',
    ...rows.map(
      ([name, flag, help]) => `  ${name.padEnd(width(0))}${flag.padEnd(width(1))}${help}`,
    ),
  ].join('\n')
}
