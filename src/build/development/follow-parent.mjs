/**
 * Part of a process that must not outlive the one that started it: told by the channel between
 * them, which ends with either.
 */
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
