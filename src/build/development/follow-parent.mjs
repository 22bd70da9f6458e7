/** Ends this process when its parent ends, which closes the channel between them. */
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
