/* wire SPACE SPACE DEVICE DEVICE MICROSECONDS PERMILLE: a wire between two
   network namespaces that delays every packet and loses some of them. It makes
   a device in each, writes one byte to standard output when they are there, and
   runs until it is killed. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { maxPackets = 1 << 14, maxBytes = 9000 };

struct Packet {
  uint64_t due;
  int bytes;
  char data[maxBytes];
};

/* What one end has sent and the other one has not got yet. */
struct Queue {
  struct Packet *packets[maxPackets];
  unsigned first, end;
};

static uint64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void check(int holds, const char *what) {
  if (holds)
    return;
  perror(what);
  exit(1);
}

static int openDevice(const char *space, const char *name) {
  int there = open(space, O_RDONLY | O_CLOEXEC);
  check(there >= 0 && setns(there, CLONE_NEWNET) == 0, space);
  close(there);
  int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  struct ifreq request;
  memset(&request, 0, sizeof request);
  strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  check(device >= 0 && ioctl(device, TUNSETIFF, &request) == 0, name);
  return device;
}

/* Takes what has come, or loses it. */
static void take(int device, struct Queue *queue, uint64_t delay,
                 int permille) {
  static char data[maxBytes];
  for (ssize_t bytes; (bytes = read(device, data, sizeof data)) > 0;) {
    if (rand() % 1000 < permille || queue->end - queue->first == maxPackets)
      continue;
    struct Packet *packet = malloc(sizeof *packet);
    check(packet != NULL, "malloc");
    packet->due = nanoseconds() + delay;
    packet->bytes = (int)bytes;
    memcpy(packet->data, data, (size_t)bytes);
    queue->packets[queue->end++ % maxPackets] = packet;
  }
}

/* Hands over what is due; when the next one will be. */
static uint64_t give(int device, struct Queue *queue) {
  while (queue->first != queue->end) {
    struct Packet *packet = queue->packets[queue->first % maxPackets];
    if (packet->due > nanoseconds())
      return packet->due;
    /* What a device does not take is lost, as everywhere. */
    ssize_t given = write(device, packet->data, (size_t)packet->bytes);
    (void)given;
    free(packet);
    ++queue->first;
  }
  return UINT64_MAX;
}

int main(int argc, char **argv) {
  if (argc != 7) {
    fprintf(stderr, "usage: wire SPACE SPACE DEVICE DEVICE MICROSECONDS "
                    "PERMILLE\n");
    return 2;
  }
  const int devices[2] = {openDevice(argv[1], argv[3]),
                          openDevice(argv[2], argv[4])};
  const uint64_t delay = strtoull(argv[5], NULL, 10) * 1000;
  const int permille = atoi(argv[6]);
  static struct Queue queues[2];
  srand(1);
  check(write(1, "!", 1) == 1, "standard output");
  for (;;) {
    uint64_t next = nanoseconds() + 1000000000u;
    for (int end = 0; end < 2; ++end) {
      uint64_t due = give(devices[!end], &queues[end]);
      if (due < next)
        next = due;
    }
    uint64_t now = nanoseconds();
    struct timespec pause = {0, next > now ? (long)(next - now) : 0};
    if (pause.tv_nsec > 999999999)
      pause.tv_nsec = 999999999;
    struct pollfd polled[2] = {{devices[0], POLLIN, 0},
                               {devices[1], POLLIN, 0}};
    ppoll(polled, 2, &pause, NULL);
    for (int end = 0; end < 2; ++end)
      take(devices[end], &queues[end], delay, permille);
  }
}
