// Finds a temporary failure in the stderr of a program.

/** Finds the line in which a program reports a temporary failure, such as an unreachable service; `undefined` if there is none. */
export function findPassingFailure(stderr: string): string | undefined {
  return stderr
    .split('\n')
    .find((line) => words.test(line))
    ?.trim()
}

/** The words with which programs report an unreachable network or service: those of the C library, Go, Python and HTTP. */
const words =
  /temporar(?:y|ily)|time(?:d)?[ -]?out|try again later|connection (?:refused|reset|aborted|error)|could not (?:resolve|connect)|no such host|name resolution|name or service not known|(?:network|host) is (?:down|unreachable)|no route to host|service unavailable|bad gateway|too many requests|rate limit|throttl|\b(?:429|502|503|504)\b/i
