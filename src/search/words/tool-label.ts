/** The name of a build tool as its makers write it; a tool that is not known as it was written. */
export function toolLabel(tool: string): string {
  return labels.get(tool.toLowerCase()) ?? tool
}

const labels = new Map([
  ['gradle', 'Gradle'],
  ['maven', 'Maven'],
  ['bazel', 'Bazel'],
  ['python', 'Python'],
])
