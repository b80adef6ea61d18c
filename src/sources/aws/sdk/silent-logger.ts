/** The SDK warns on the console otherwise, and stderr belongs to our own messages. */
export const silentLogger = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }
