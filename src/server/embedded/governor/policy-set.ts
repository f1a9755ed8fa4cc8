import { parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { PolicyDefinition, ScanDefinition } from './policy-definition.ts'

/** All policies and scans that a service knows. */
export interface PolicySet {
  readonly policies: readonly PolicyDefinition[]
  readonly scans: readonly ScanDefinition[]
}

/** A scan, with the policies that its selector takes. */
export interface SelectedScan {
  readonly scan: ScanDefinition
  readonly policies: readonly PolicyDefinition[]
}

/**
 * Reads policies from YAML, several documents separated by `---`. Throws an Error that names each
 * mistake with its document and line; policies are part of a configuration, not of a request.
 */
export function readPolicySet(yaml: string): PolicySet {
  const mistakes: string[] = []
  const policies: PolicyDefinition[] = []
  const scans: ScanDefinition[] = []
  for (const [index, document] of parseAllDocuments(yaml).entries()) {
    const where = `document ${index + 1}`
    for (const error of document.errors) mistakes.push(`${where}: ${error.message}`)
    if (document.errors.length > 0) continue
    const value: unknown = document.toJS()
    if (value === null) continue
    const isScan = z.looseObject({ kind: z.literal('PolicyScanDefinition') }).safeParse(value)
    const read = isScan.success
      ? ScanDefinition.safeParse(value)
      : PolicyDefinition.safeParse(value)
    if (!read.success) mistakes.push(...read.error.issues.map((issue) => told(where, issue)))
    else if (read.data.kind === 'PolicyScanDefinition') scans.push(read.data)
    else policies.push(read.data)
  }
  if (mistakes.length > 0) throw new Error(`The policies cannot be read: ${mistakes.join('; ')}`)
  return { policies, scans }
}

/** The scan of this name, in any case as real servers have it; undefined where there is none. */
export function selectScan(set: PolicySet, name: string): SelectedScan | undefined {
  const wanted = name.toLowerCase()
  const scan = set.scans.find((one) => one.metadata.name.toLowerCase() === wanted)
  if (scan === undefined) return undefined
  const selector = Object.entries(scan.spec.policySelector.matchLabels)
  const policies = set.policies.filter(({ metadata }) =>
    selector.every(([label, value]) => metadata.labels[label] === value),
  )
  return { scan, policies }
}

function told(where: string, issue: z.core.$ZodIssue): string {
  return `${where}: ${[...issue.path.map(String), issue.message].join(' ')}`
}
