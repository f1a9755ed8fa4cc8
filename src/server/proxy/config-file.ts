import { z } from 'zod'
import type { SharedConfig } from '../../protocol/proxy-config.ts'
import { nearest } from '../../search/nearest.ts'
import { ConfigFile, keysAt } from './config-file-schema.ts'
import { readYaml, type YamlText } from './yaml-text.ts'

/** What the configuration file says, or every mistake in it: a plain sentence each, with its line. */
export type ReadConfigFile =
  | { readonly ok: true; readonly shared: SharedConfig }
  | { readonly ok: false; readonly mistakes: readonly string[] }

/**
 * Reads the text of the configuration file, YAML: `savedQueries`, a list of `{name, query,
 * description?}` with names of their own and queries without errors, `trustedKeys`, public keys by
 * name, and `packages`, a list of `{purl, sha256, repositoryUrl, scans?}`. An empty file says nothing.
 * `path` is how mistakes name the file.
 */
export function readConfigFile(path: string, text: string): ReadConfigFile {
  const yaml = readYaml(text)
  const told = (line: number, sentence: string): string => `${path} line ${line}: ${sentence}`
  if (yaml.mistakes.length > 0) {
    return { ok: false, mistakes: yaml.mistakes.map(({ line, message }) => told(line, message)) }
  }
  const content = yaml.value ?? {}
  const decoded = ConfigFile.safeParse(content)
  const issues = [...(decoded.error?.issues ?? []).flatMap(issueOf), ...repeatedNames(content)]
  return decoded.success && issues.length === 0
    ? { ok: true, shared: decoded.data }
    : { ok: false, mistakes: inOrder(yaml, issues).map(({ line, text }) => told(line, text)) }
}

type Path = readonly (string | number)[]

/** A mistake at a place in the file: what follows its name there. */
interface Issue {
  readonly path: Path
  readonly rest: string
}

function issueOf(issue: z.core.$ZodIssue): Issue[] {
  const path = issue.path.filter((step) => typeof step !== 'symbol')
  if (issue.code !== 'unrecognized_keys') return [{ path, rest: issue.message }]
  const known = keysAt(path)
  return issue.keys.map((key) => {
    const [meant] = nearest(key, known)
    const fix = meant === undefined ? `There are ${known.join(', ')}` : `Did you mean ${meant}`
    return {
      path: [...path, key],
      rest: meant === undefined ? ` is not known. ${fix}.` : ` is not known. ${fix}?`,
    }
  })
}

/** Whatever else is wrong with them. */
const Names = z.object({
  savedQueries: z.array(z.object({ name: z.string() }).catch({ name: '' })).catch([]),
})

function repeatedNames(content: unknown): Issue[] {
  const names = Names.safeParse(content).data?.savedQueries.map(({ name }) => name.trim()) ?? []
  return names.flatMap((name, index) => {
    const first = names.indexOf(name)
    if (name === '' || first === index) return []
    return [
      {
        path: ['savedQueries', index, 'name'],
        rest: `: savedQueries[${first}] has the name “${name}” already. Give each query its own.`,
      },
    ]
  })
}

/** The mistakes as sentences by their lines. */
function inOrder(
  yaml: YamlText,
  issues: readonly Issue[],
): readonly { readonly line: number; readonly text: string }[] {
  return issues
    .map(({ path, rest }) => ({ line: yaml.lineOf(path), text: `${nameOf(path)}${rest}` }))
    .sort((a, b) => a.line - b.line)
}

/** `savedQueries[2].query`. */
function nameOf(path: Path): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`,
    )
    .join('')
}
