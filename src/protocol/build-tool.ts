const proper = /^(?:gradle|maven|bazel|python)$/i

/** The name of a build tool as its makers write it, "Gradle", but "npm" and "sbt"; of others as it was written. */
export function toolName(tool: string): string {
  return proper.test(tool) ? tool.charAt(0).toUpperCase() + tool.slice(1).toLowerCase() : tool
}
