/** A logger that drops everything: by default the SDK warns on the console, and stderr is for our own messages. */
export const silentLogger = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }
