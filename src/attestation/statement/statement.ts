import { note, warning, type Finding } from '../decode/finding.ts'
import {
  anyProperty,
  countOf,
  type JsonTree,
  kindOf,
  noNode,
  property,
  sourceOf,
  stringOf,
} from '../decode/json-tree.ts'
import { isKnownType, typeNear } from '../predicates/predicate-types.ts'
import { placeOf, type Source } from '../decode/source.ts'
import { checkSubjects } from './subjects.ts'
import { inQuotes } from '../decode/visible-text.ts'

/**
 * An in-toto statement: who it is about (`subject`) and what it says of them (`predicate`). Its parts
 * are nodes of the payload's tree, so that nothing is copied; `noNode` where a part is missing.
 */
export interface Statement {
  /** As written; snake-case writers call the field `type`. */
  readonly _type: string | undefined
  readonly version: 'v1' | 'v0.1' | 'other'
  readonly predicateType: string | undefined
  /** The node of the `subject` array, and how many there are (see `subjectAt`). */
  readonly subject: number
  readonly subjectCount: number
  readonly predicate: number
}

export interface StatementReading {
  readonly statement: Statement | undefined
  readonly findings: readonly Finding[]
}

/**
 * Reads the statement in a payload (in-toto attestation spec v1.2, v0.1 and what real writers make of
 * them). Whatever is a JSON object with a type or a subject is read; the findings say how far it is
 * from the specification. Anything else is no statement, and the findings say so.
 */
export function readStatement(source: Source): StatementReading {
  const { tree } = source
  if (kindOf(tree, 0) !== 'object') {
    const message = `The payload is JSON, but not a statement: its value is ${describeKind(tree)}.`
    return notAStatement(source, message)
  }
  const typeNode = anyProperty(tree, 0, '_type', 'type')
  const predicateTypeNode = anyProperty(tree, 0, 'predicateType', 'predicate_type')
  const subject = property(tree, 0, 'subject')
  if (
    stringOf(tree, typeNode) === undefined &&
    predicateTypeNode === noNode &&
    subject === noNode
  ) {
    const message = 'The payload is a JSON object without the fields of an in-toto statement.'
    return notAStatement(source, message)
  }
  const _type = stringOf(tree, typeNode)
  const statement: Statement = {
    _type,
    version: versions.get(_type ?? '') ?? 'other',
    predicateType: stringOf(tree, predicateTypeNode),
    subject,
    subjectCount: kindOf(tree, subject) === 'array' ? countOf(tree, subject) : 0,
    predicate: property(tree, 0, 'predicate'),
  }
  return {
    statement,
    findings: [...shapeFindings(source, statement), ...checkSubjects(source, statement)],
  }
}

function notAStatement(source: Source, message: string): StatementReading {
  const findings = [warning('not-a-statement', message, placeOf(source, 0))]
  return { statement: undefined, findings }
}

/** Whether a JSON object that came without an envelope says itself that it is a statement. */
export function looksLikeStatement(tree: JsonTree, node: number): boolean {
  const type = stringOf(tree, anyProperty(tree, node, '_type', 'type')) ?? ''
  if (/in-toto\.io\/Statement/i.test(type)) return true
  const hasType = anyProperty(tree, node, 'predicateType', 'predicate_type') !== noNode
  return hasType && anyProperty(tree, node, 'subject', 'predicate') !== noNode
}

const versions: ReadonlyMap<string, Statement['version']> = new Map([
  ['https://in-toto.io/Statement/v1', 'v1'],
  ['https://in-toto.io/Statement/v0.1', 'v0.1'],
])

/** Each field with how writers of snake case spell it. */
const spellings = [
  ['_type', 'type'],
  ['predicateType', 'predicate_type'],
] as const

function shapeFindings(source: Source, statement: Statement): Finding[] {
  const { tree } = source
  const findings: Finding[] = []
  const typeNode = anyProperty(tree, 0, '_type', 'type')
  for (const [name, other] of spellings) {
    const [first, second] = [property(tree, 0, name), property(tree, 0, other)]
    if (second === noNode) continue
    const isSame = sourceOf(tree, first) === sourceOf(tree, second)
    const message =
      first === noNode
        ? `The statement has "${other}" instead of "${name}".`
        : `The statement has both "${name}" and "${other}", ${isSame ? 'two spellings of the same field' : 'with different values'}. Sightline uses "${name}"; other programs may use "${other}".`
    findings.push(warning('statement-snake-case', message, placeOf(source, second)))
  }
  if (statement.version === 'other') {
    const message =
      statement._type === undefined
        ? 'The statement has no "_type".'
        : `The "_type" is ${inQuotes(statement._type)}, which isn't a known version of an in-toto statement.`
    const at = placeOf(source, typeNode === noNode ? 0 : typeNode)
    findings.push(warning('statement-type-unknown', message, at))
  }
  if (statement.predicateType === undefined || statement.predicateType === '') {
    const message = 'The statement has no "predicateType", so its claim is unknown.'
    findings.push(warning('predicate-type-missing', message, placeOf(source, 0)))
  } else findings.push(...typeFindings(source, statement.predicateType))
  if (statement.predicate === noNode || kindOf(tree, statement.predicate) === 'null') {
    const message =
      "The statement has no predicate. That's allowed, but it makes no further claims."
    findings.push(note('predicate-missing', message, placeOf(source, 0)))
  }
  return findings
}

function typeFindings(source: Source, type: string): Finding[] {
  if (isKnownType(type)) return []
  const near = typeNear(type)
  const at = placeOf(source, anyProperty(source.tree, 0, 'predicateType', 'predicate_type'))
  const name = inQuotes(type)
  if (near === undefined) {
    const message = `Unknown predicate type ${name}. Its fields are shown as is.`
    return [note('predicate-type-unknown', message, at)]
  }
  const message = `Unknown predicate type ${name}. The closest known type is ${near.type} (${near.name}).`
  return [warning('predicate-type-unknown', message, at)]
}

function describeKind(tree: JsonTree): string {
  const kind = kindOf(tree, 0) ?? 'nothing'
  if (kind === 'array') return 'an array'
  return kind === 'string' || kind === 'number' ? `a ${kind}` : kind
}
