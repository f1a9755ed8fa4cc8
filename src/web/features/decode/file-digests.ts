import type { DecodedItem } from '../../../attestation/decode-tree.ts'
import { keyOf, childrenOf, property, type JsonTree } from '../../../attestation/json-tree.ts'
import { subjectNodes } from '../../../attestation/subjects.ts'
import { type FileAlgorithm, fileAlgorithms } from '../../data/attestation/file-algorithms.ts'

/**
 * The digests of a file that are worth making: those that a subject has (of the first thousand), as
 * each takes its time; the common one where no subject has any of them.
 */
export function algorithmsFor({ statement, content }: DecodedItem): readonly FileAlgorithm[] {
  if (statement === undefined || content.kind !== 'json') return ['sha256']
  const { tree } = content
  const named = new Set<string>()
  for (const node of subjectNodes(tree, statement).subarray(0, mostSubjects)) {
    for (const name of digestNames(tree, node)) named.add(name)
  }
  const wanted = fileAlgorithms.filter((algorithm) => named.has(algorithm))
  return wanted.length > 0 ? wanted : ['sha256']
}

const mostSubjects = 1_000

function digestNames(tree: JsonTree, subject: number): string[] {
  return [...childrenOf(tree, property(tree, subject, 'digest'))].map(
    (child) => keyOf(tree, child) ?? '',
  )
}
